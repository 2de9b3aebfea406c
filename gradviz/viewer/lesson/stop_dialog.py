"""The dialog for the texts and options of a stop."""

from __future__ import annotations

import re
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from gradviz.lesson.facts import shown_text
from gradviz.lesson.lesson import LessonStop


class StopDialog(QDialog):
    """Edits what a stop says; its view is changed by adding the view again."""

    def __init__(self, stop: LessonStop, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Edit Stop"))
        self._stop = stop
        self.headline = QLineEdit(shown_text(stop.headline))
        self.question = QLineEdit(shown_text(stop.question))
        self.answer = QLineEdit(shown_text(stop.answer))
        self.answer.setToolTip(self.tr("One line, which takes the place of the question"))
        self.solution = _text_field(stop.solution)
        self.solution.setToolTip(self.tr("Answer at length, for you and for the handout"))
        self.notes = _text_field(stop.notes)
        self.pictures = _text_field("\n\n".join(stop.show))
        self.pictures.setToolTip(
            self.tr("What each further click shows, with an empty line between two clicks")
        )
        self.minutes = QDoubleSpinBox()
        self.minutes.setRange(0, 999)
        self.minutes.setDecimals(1)
        self.minutes.setValue(stop.minutes)
        self.steps = QCheckBox(self.tr("Show the steps up to the next stop"))
        self.steps.setChecked(stop.steps)
        standard = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(standard.Ok | standard.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        form = QFormLayout(self)
        form.addRow(self.tr("&Headline"), self.headline)
        form.addRow(self.tr("&Question"), self.question)
        form.addRow(self.tr("Ans&wer"), self.answer)
        form.addRow(self.tr("&Solution"), self.solution)
        form.addRow(self.tr("&Pictures"), self.pictures)
        form.addRow(self.tr("&Notes"), self.notes)
        form.addRow(self.tr("&Minutes"), self.minutes)
        form.addRow(self.steps)
        form.addRow(buttons)
        self.resize(520, 480)

    def stop(self) -> LessonStop:
        """The stop as edited."""
        shown = re.split(r"\n\s*\n", self.pictures.toPlainText())
        return replace(
            self._stop,
            headline=self.headline.text().strip(),
            question=self.question.text().strip(),
            answer=self.answer.text().strip(),
            solution=self.solution.toPlainText().strip(),
            notes=self.notes.toPlainText().strip(),
            show=tuple([each.strip() for each in shown if each.strip()]),
            minutes=self.minutes.value(),
            steps=self.steps.isChecked(),
        )


def _text_field(text: str) -> QPlainTextEdit:
    field = QPlainTextEdit(shown_text(text))
    field.setTabChangesFocus(True)
    return field
