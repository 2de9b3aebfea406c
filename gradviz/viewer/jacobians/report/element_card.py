"""A card that explains one Jacobian element: both values, their origin, and source lines."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gradviz.model.jacobian_report import JacobianReport
from gradviz.viewer.jacobians import check_text
from gradviz.viewer.jacobians.pair_matrices import PairMatrices
from gradviz.viewer.jacobians.report import element_text
from gradviz.viewer.jacobians.report.line_button import LineButton
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.widgets.plain_text import PlainLabel

_MOST_VALUES = 5


class ElementCard(QScrollArea):
    """Shows the element under the cursor.

    Signals:
        line_requested: The `Location` of a source line that the user asks for.
    """

    line_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._outside = False
        self._name = PlainLabel(pixels=UI_PIXELS, bold=True)
        self._sign = QLabel()
        self._judgement = PlainLabel(pixels=UI_PIXELS)
        # A fixed number of labels, since the element changes with each move of the mouse.
        self._names = tuple(PlainLabel(muted=True) for _ in range(_MOST_VALUES))
        self._values = tuple(PlainLabel(pixels=UI_PIXELS) for _ in range(_MOST_VALUES))
        self._sentence_labels = tuple(PlainLabel() for _ in range(2))
        self._rows = PlainLabel(muted=True)
        self._pinned = PlainLabel(muted=True)
        self._lines: tuple[LineButton, ...] = ()
        self._lay_out()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("Element"))
        self.update_theme()

    @property
    def texts(self) -> tuple[str, ...]:
        """All visible lines, from the top."""
        pairs = zip(self._names, self._values, strict=True)
        values = (f"{name.text()} {value.text()}" for name, value in pairs if not name.isHidden())
        sentences = (
            each.text() for each in (*self._sentence_labels, self._rows) if not each.isHidden()
        )
        lines = (each.text() for each in self._lines)
        return (self._name.text(), self._judgement.text(), *values, *sentences, *lines)

    @property
    def lines(self) -> tuple[LineButton, ...]:
        """Buttons for the lines in which backward computes the gradient."""
        return self._lines

    def show_element(
        self, report: JacobianReport, matrices: PairMatrices, cell: tuple[int, int] | None
    ) -> None:
        """Explain another element; None if the matrix is empty."""
        self._show_lines(matrices if cell is not None else None)
        if cell is None:
            self._name.setText(self.tr("Nothing to compare: the matrix is empty."))
            self._judgement.setText("")
            values: list[tuple[str, str]] = []
            sentences = ["", "", ""]
        else:
            self._name.setText(check_text.element_name(matrices, *cell))
            self._judgement.setText(_judgement(matrices, cell))
            values = element_text.values_of(matrices, *cell)
            values.append((self.tr("allowed"), element_text.allowed(matrices, *cell)))
            sentences = [
                element_text.moved(report, matrices, *cell),
                element_text.backward_text(report, matrices, *cell),
                element_text.row_and_column(matrices, *cell),
            ]
        self._outside = cell is not None and matrices.excess(*cell) > 1
        self._fill(values, sentences)
        self._show_sign()
        self.setAccessibleDescription("\n".join(self.texts))

    def show_pinned(self, pinned: bool) -> None:
        """Show whether the element stays while the mouse moves."""
        text = self.tr("Pinned. Click it again or press Escape to unpin it.")
        self._pinned.setText(
            text if pinned else self.tr("Click an element or press Enter to pin it.")
        )

    def update_theme(self) -> None:
        """Repaint in another theme."""
        self._show_sign()

    def _fill(self, values: list[tuple[str, str]], sentences: list[str]) -> None:
        rest = [("", "")] * (_MOST_VALUES - len(values))
        for name, value, texts in zip(self._names, self._values, values + rest, strict=True):
            name.setText(texts[0])
            value.setText(texts[1])
            for label in (name, value):
                label.setVisible(bool(texts[1]))
        for label, text in zip((*self._sentence_labels, self._rows), sentences, strict=True):
            label.setText(text)
            label.setVisible(bool(text))

    def _show_sign(self) -> None:
        side = self._theme.px(16)
        sign = icon("check", self._theme, "ok")
        if self._outside:
            sign = icon("error", self._theme, "error")
        self._sign.setPixmap(sign.pixmap(side, side))
        self._sign.setVisible(bool(self._judgement.text()))

    def _show_lines(self, matrices: PairMatrices | None) -> None:
        locations = () if matrices is None else matrices.block.lines
        # All elements of a pair have the same lines, and the cursor moves with the mouse.
        if [each.location for each in self._lines] == list(locations):
            return
        for button in self._lines:
            self._column.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._lines = tuple(LineButton(each, self._theme) for each in locations)
        for button in self._lines:
            button.line_requested.connect(self.line_requested)
            self._column.insertWidget(self._column.indexOf(self._rows), button)

    def _lay_out(self) -> None:
        whole = QWidget()
        whole.setBackgroundRole(QPalette.ColorRole.Base)
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._judgement, 1)
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(1)
        grid.setColumnStretch(0, 2)
        grid.setColumnStretch(1, 3)
        for row, pair in enumerate(zip(self._names, self._values, strict=True)):
            for column, label in enumerate(pair):
                grid.addWidget(label, row, column)
        self._column = QVBoxLayout(whole)
        self._column.setContentsMargins(0, 4, 6, 0)
        self._column.setSpacing(6)
        self._column.addWidget(self._name)
        self._column.addLayout(head)
        self._column.addLayout(grid)
        for label in (*self._sentence_labels, self._rows, self._pinned):
            self._column.addWidget(label)
        self._column.addStretch(1)
        self.setWidget(whole)


def _judgement(matrices: PairMatrices, cell: tuple[int, int]) -> str:
    judgement = check_text.element_judgement(matrices, *cell)
    if cell != matrices.worst:
        return judgement
    return check_text.worst_element_text(judgement)
