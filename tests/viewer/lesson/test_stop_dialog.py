"""The dialog for the texts and options of a stop."""

from __future__ import annotations

from dataclasses import replace

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


def test_pictures_are_separated_by_empty_lines(qtbot: QtBot) -> None:
    stop = LessonStop(scene="exp", show=("graph", "code 1\ncode 3"))
    dialog = StopDialog(stop)
    qtbot.addWidget(dialog)
    assert dialog.stop() == stop
    dialog.pictures.setPlainText("sum grad_x\n \n\ngraph\n")
    assert dialog.stop() == replace(stop, show=("sum grad_x", "graph"))
