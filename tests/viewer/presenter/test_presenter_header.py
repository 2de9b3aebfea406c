"""Presenter titles inside a step: where one is, without repetition."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.step import ErrorStep
from gradviz.viewer.presenter.presenter_header import PresenterHeader, header_text
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT
from tests.viewer.traces import failed_reader, inside_reader


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


def test_an_exceptions_message_is_not_in_the_headline(qtbot: QtBot) -> None:
    state = ViewerState(LIGHT)
    state.show(failed_reader())
    state.go_to(state.count)
    assert state.index is not None
    step = step_at(state.index, state.number)
    assert isinstance(step, ErrorStep)
    sentence = header_text(state).sentence[0]
    assert step.exception in sentence
    assert step.message not in sentence
    assert ": " not in sentence
    state.show(None)
