"""The editor makes exactly the typed change and explains what does not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gradviz.model.what_if import InputTarget, WhatIfChange
from gradviz.model.what_if_values import apply_change
from gradviz.viewer.theme.theme import LIGHT
from gradviz.viewer.what_if.value_editor import ChangeSubject, ValueEditor
from tests.builders import tensor

TARGET = InputTarget(position=0, name="<b>x</b>")


def subject_of(values: Any) -> ChangeSubject:
    record, value = tensor(1, values)
    return ChangeSubject(target=TARGET, record=record, value=value)


@pytest.fixture
def editor(qtbot: QtBot) -> ValueEditor:
    widget = ValueEditor(LIGHT)
    qtbot.addWidget(widget)
    widget.resize(600, 200)
    widget.show()
    return widget


def apply(editor: ValueEditor, qtbot: QtBot) -> WhatIfChange:
    with qtbot.waitSignal(editor.applied) as done:
        qtbot.mouseClick(editor.apply_button, Qt.MouseButton.LeftButton)
    change = done.args[0]
    assert isinstance(change, WhatIfChange)
    return change


def test_elements_keep_their_bits_where_nothing_was_typed(
    editor: ValueEditor, qtbot: QtBot
) -> None:
    odd = np.array([[0.1, -0.0], [np.nan, 3.0]])
    subject = subject_of(odd)
    editor.edit(subject, None)
    assert not editor.apply_button.isEnabled()
    editor.cells.paste("7", at=(1, 1))
    assert editor.note.text() == "<b>x</b>[1, 1] = 7 instead of 3"
    change = apply(editor, qtbot)
    assert change.positions == (3,)
    assert subject.value is not None
    new = apply_change(change, subject.value)
    odd[1, 1] = 7
    assert new is not None
    assert new.data == odd.tobytes()


def test_what_was_planned_is_shown_again(editor: ValueEditor, qtbot: QtBot) -> None:
    subject = subject_of([1.0, 2.0])
    editor.edit(subject, None)
    editor.cells.paste("9")
    first = apply(editor, qtbot)
    editor.edit(subject, first)
    assert editor.apply_button.isEnabled()
    editor.cells.paste("1 8")
    assert apply(editor, qtbot).positions == (1,)


def test_what_does_not_fit_is_reported(editor: ValueEditor) -> None:
    editor.edit(subject_of([1, 2]), None)
    editor.cells.paste("1.5 2")
    assert "holds only integers" in editor.note.text()
    assert not editor.apply_button.isEnabled()
    editor.cells.paste("[[1, 2], [3, 4]]")
    assert "The shape stays: 2" in editor.note.text() or "[2]" in editor.note.text()
    assert not editor.apply_button.isEnabled()


def test_all_to_one_number_and_times_a_factor(editor: ValueEditor, qtbot: QtBot) -> None:
    subject = subject_of([[1.0, 2.0]])
    editor.edit(subject, None)
    editor.kind.setCurrentIndex(editor.kind.findData("fill"))
    qtbot.keyClicks(editor.number, "-0")
    change = apply(editor, qtbot)
    assert (change.way, change.bits) == ("fill", np.float64(-0.0).tobytes().hex())
    editor.edit(subject, None)
    editor.kind.setCurrentIndex(editor.kind.findData("scale"))
    qtbot.keyClicks(editor.number, "x")
    assert "not a number" in editor.note.text()
    editor.number.clear()
    qtbot.keyClicks(editor.number, "-1e-3")
    change = apply(editor, qtbot)
    assert (change.way, change.factor, change.seal != "") == ("scale", -1e-3, True)


def test_of_what_was_not_kept_only_the_whole_can_be_changed(editor: ValueEditor) -> None:
    whole = subject_of([[1.0, 2.0]])
    record = replace(whole.record, content="statistics", kept_shape=(), kept_steps=())
    editor.edit(ChangeSubject(target=TARGET, record=record, value=None), None)
    assert [editor.kind.itemData(at) for at in range(editor.kind.count())] == ["fill", "scale"]
    assert not editor.cells.isVisible()
    assert editor.number.isVisible()


def test_a_planned_change_of_a_value_that_has_become_another_one() -> None:
    before, now = subject_of([1.0, 2.0]), subject_of([5.0, 6.0])
    change = before.set_to(("1", "9"), (1, 9))
    assert change is not None
    assert before.with_new_original(change) is change
    with_new_original = now.with_new_original(change)
    assert with_new_original.old_bits == np.float64(6).tobytes().hex()
    assert with_new_original == now.set_to(("5", "9"), (5, 9))
    other = subject_of([1.0])
    assert other.with_new_original(change) is change


def test_leaving_changes_nothing(editor: ValueEditor, qtbot: QtBot) -> None:
    editor.edit(subject_of([1.0]), None)
    with qtbot.waitSignal(editor.left), qtbot.assertNotEmitted(editor.applied):
        qtbot.mouseClick(editor.leave_button, Qt.MouseButton.LeftButton)
