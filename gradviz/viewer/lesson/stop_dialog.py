"""The dialog for the texts and options of a stop."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
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

from gradviz.analysis.arithmetic.telling_elements import parse_element
from gradviz.lesson.facts import shown_text
from gradviz.lesson.lesson import LessonStop
from gradviz.viewer.widgets.plain_text import PlainLabel
from gradviz.viewer.widgets.screen_reader import announce

_ELEMENT = "grad_weight[0, 2]"


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
        self.arithmetic = QLineEdit(shown_text(stop.arithmetic))
        self.arithmetic.setPlaceholderText(self.tr("For example {0}").format(_ELEMENT))
        self.arithmetic.setToolTip(
            self.tr("Element of the step whose arithmetic the first click shows")
        )
        self.problem = PlainLabel()
        # The color of a problem in the top bar, too.
        self.problem.setForegroundRole(QPalette.ColorRole.BrightText)
        self.problem.hide()
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
        form.addRow(self.tr("&Notes"), self.notes)
        form.addRow(self.tr("&Arithmetic"), self.arithmetic)
        form.addRow(self.problem)
        form.addRow(self.tr("&Minutes"), self.minutes)
        form.addRow(self.steps)
        form.addRow(buttons)
        self.resize(520, 480)

    def accept(self) -> None:
        """Close the dialog, unless the element cannot be read; then say how one is written."""
        text = self.arithmetic.text().strip()
        if text and parse_element(text) is None:
            problem = self.tr("{0} is not an element. Write one like {1}.")
            self.problem.setText(problem.format(text, _ELEMENT))
            self.problem.show()
            self.arithmetic.setFocus(Qt.FocusReason.ShortcutFocusReason)
            announce(self.problem, self.problem.text())
        else:
            super().accept()

    def stop(self) -> LessonStop:
        """The stop as edited."""
        return replace(
            self._stop,
            headline=self.headline.text().strip(),
            question=self.question.text().strip(),
            answer=self.answer.text().strip(),
            solution=self.solution.toPlainText().strip(),
            notes=self.notes.toPlainText().strip(),
            arithmetic=self.arithmetic.text().strip(),
            minutes=self.minutes.value(),
            steps=self.steps.isChecked(),
        )


def _text_field(text: str) -> QPlainTextEdit:
    field = QPlainTextEdit(shown_text(text))
    field.setTabChangesFocus(True)
    return field
