"""Pills of a row of tags."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gradviz.document.tag import Tag
from gradviz.viewer.tensor_view.small.tensor_head import TagPills
from gradviz.viewer.theme.theme import LIGHT
from gradviz.viewer.widgets.pill import Pill


def test_a_row_keeps_few_pills_that_it_does_not_show(qtbot: QtBot) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    row = TagPills(LIGHT, owner)
    many, few = (tuple(Tag(f"step {number}") for number in range(count)) for count in (20, 1))
    row.show(many)
    assert [each.text() for each in row.pills] == [each.text for each in many]
    row.show(few)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert [each.text() for each in row.pills] == ["step 0"]
    assert len(owner.findChildren(Pill)) <= 3
    row.show(many)
    assert [each.text() for each in row.pills] == [each.text for each in many]
