"""The dialog for the texts and options of a stop."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from gradviz.lesson.lesson import LessonStop
from gradviz.viewer.lesson.stop_dialog import StopDialog


def test_the_texts_are_edited_without_their_queries(qtbot: QtBot) -> None:
    stop = LessonStop(scene="exp", question="Why?", solution="It is {{2|exp: x}}.", notes="Wait.")
    dialog = StopDialog(stop)
    qtbot.addWidget(dialog)
    assert dialog.stop() == replace(stop, solution="It is 2.")
    dialog.answer.setText("So.")
    dialog.solution.setPlainText("Because.\n")
    assert dialog.stop() == replace(stop, answer="So.", solution="Because.")


def test_an_element_that_cannot_be_read_is_not_dropped(qtbot: QtBot) -> None:
    accepted = []
    dialog = StopDialog(LessonStop(scene="linear", step="5", arithmetic="grad_input[0, 1]"))
    qtbot.addWidget(dialog)
    dialog.accepted.connect(lambda: accepted.append(dialog.stop()))
    dialog.show()
    dialog.arithmetic.setText("grad_input[0")
    dialog.accept()
    assert not accepted
    assert dialog.result() != QDialog.DialogCode.Accepted
    assert dialog.problem.isVisible()
    assert dialog.problem.text() == (
        "grad_input[0 is not an element. Write one like grad_weight[0, 2]."
    )
    dialog.arithmetic.setText("grad_input[0, 0]")
    dialog.accept()
    assert [each.arithmetic for each in accepted] == ["grad_input[0, 0]"]
