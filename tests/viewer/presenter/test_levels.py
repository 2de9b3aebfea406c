"""A room that is led into a step: the title says where, and says nothing twice."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from gradviz.model.places import Place
from gradviz.viewer.look.theme import LIGHT
from gradviz.viewer.presenter.head import RoomHead
from gradviz.viewer.state import ViewerState
from tests.viewer.traces import inside_reader


@pytest.mark.parametrize(
    ("place", "title"),
    [
        (Place(step=5), "BACKWARD · LinearFunction.backward"),
        (Place(step=5, stage="backward"), "BACKWARD · LinearFunction.backward"),
        (Place(step=5, stage="engine"), "BACKWARD · LinearFunction.backward · engine check"),
        (Place(step=5, stage="backward", line=1), "BACKWARD · LinearFunction.backward · line 24"),
    ],
)
def test_the_title_leads_down(qtbot: QtBot, place: Place, title: str) -> None:
    state = ViewerState(LIGHT)
    head = RoomHead(state)
    qtbot.addWidget(head)
    state.show(inside_reader())
    state.go_to_place(place, place.level)
    assert head.title.text == title
    state.show(None)
