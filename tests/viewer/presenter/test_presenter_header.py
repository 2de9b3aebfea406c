"""Presenter titles inside a step: where one is, without repetition."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.viewer.presenter.presenter_header import PresenterHeader
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT
from tests.viewer.traces import inside_reader


@pytest.mark.parametrize(
    ("place", "title"),
    [
        (TracePosition(step=5), "backward · step 5 of 8"),
        (TracePosition(step=5, stage="backward"), "backward · step 5 of 8"),
        (
            TracePosition(step=5, stage="engine"),
            "backward · step 5 of 8 · engine check",
        ),
        (
            TracePosition(step=5, stage="backward", line=1),
            "backward · step 5 of 8 · line 24",
        ),
    ],
)
def test_the_title_leads_down(qtbot: QtBot, place: TracePosition, title: str) -> None:
    state = ViewerState(LIGHT)
    head = PresenterHeader(state)
    qtbot.addWidget(head)
    state.show(inside_reader())
    state.go_to_place(place, place.level)
    assert head.title.text == title
    state.show(None)
