"""The timeline's context menu."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QPointF
from PySide6.QtWidgets import QMenu

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.language import format_count
from gradviz.viewer.actions import Actions
from gradviz.viewer.commands.context_menu import ContextMenu, copy_text, fill
from gradviz.viewer.provenance.controller import origin_query_of_steps
from gradviz.viewer.state import ViewerState
from gradviz.viewer.timeline.timeline_bar import TimelineBar
from gradviz.viewer.timeline.timeline_text import revealed_sentence
from gradviz.viewer.translation import translate
from gradviz.viewer.view_requests import ViewRequests


class TimelineMenu:
    """The timeline's context menu: go to the step, copy its sentence, find a NaN's origin."""

    def __init__(
        self, state: ViewerState, requests: ViewRequests, bar: TimelineBar, actions: Actions
    ) -> None:
        self._state = state
        self._requests = requests
        self._bar = bar
        self._actions = actions
        self.menu = ContextMenu(bar, self._fill, self._place)

    def _fill(self, menu: QMenu, at: QPoint | None) -> None:
        index, actions = self._state.index, self._actions
        number = self._state.number if at is None else self._bar.number_under(QPointF(at))
        step = None if index is None else step_at(index, number)
        if index is None or step is None:
            return
        if number != self._state.number:
            go = menu.addAction(
                translate("ContextMenus", "&Go to Step {0}").format(format_count(number))
            )
            go.triggered.connect(lambda: self._state.go_to(number))
        copy = menu.addAction(
            translate("ContextMenus", "&Copy Description of Step {0}").format(format_count(number))
        )
        sentence = revealed_sentence(self._state, TracePosition(step=number), "node")
        copy.triggered.connect(partial(copy_text, sentence))
        shown = (number,) if self._state.revealed.shows(number) else ()
        query = origin_query_of_steps(index, shown)
        if query is not None:
            find = menu.addAction(translate("ContextMenus", "Find Origin of Its NaN or &Inf"))
            find.triggered.connect(lambda: self._requests.find_origin(query))
        fill(menu, [None, actions.first, actions.previous, actions.play])
        fill(menu, [actions.next, actions.last])

    def _place(self) -> QPoint:
        return QPoint(round(self._bar.x_of(self._state.number)), self._bar.height() // 2)
