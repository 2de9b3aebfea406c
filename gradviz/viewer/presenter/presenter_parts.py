"""The widgets that Presenter Mode adds around the graph."""

from __future__ import annotations

from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.presenter.presenter_code import PresenterCode
from gradviz.viewer.presenter.presenter_header import PresenterHeader
from gradviz.viewer.presenter.presenter_values import PresenterValues
from gradviz.viewer.state import ViewerState
from gradviz.viewer.window.message_bar import MessageBar


class PresenterParts:
    """The header, and what is shown beside the graph.

    Attributes:
        head: The header.
        code: The function of the current step.
        values: The values of the current step.
    """

    def __init__(self, state: ViewerState, player: LessonPlayer, messages: MessageBar) -> None:
        self.head = PresenterHeader(state, player, messages)
        self.code = PresenterCode(state)
        self.values = PresenterValues(state)
