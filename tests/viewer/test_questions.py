"""Questions are asked one after the other, and nothing waits for their answers on the stack."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QWidget
from pytestqt.qtbot import QtBot

from gradviz.viewer.questions import Asker, Questions


def test_each_question_waits_for_the_answer_to_the_one_before(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    asker, results = Asker(window), list[bool]()
    first, second = QDialog(window), QDialog(window)

    def questions() -> Questions:
        for each in (first, second):
            yield each
            if not each.result():
                return False
        return True

    def none() -> Questions:
        yield from ()
        return True

    asker.ask(none(), results.append)
    assert results == [True], "at once"
    asker.ask(questions(), results.append)
    asker.ask(none(), results.append)
    assert first.isVisible(), "the open question comes first"
    assert not second.isVisible()
    assert len(results) == 1
    first.accept()
    assert second.isVisible()
    assert asker.is_asking
    second.reject()
    assert not asker.is_asking
    assert results == [True, False]
