"""The lines below the maps: element under the cursor, meaning of the marks, and buttons."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gradviz.viewer.jacobians import element_words, words
from gradviz.viewer.jacobians.matrices import Matrices
from gradviz.viewer.jacobians.sign_legend import SignLegend
from gradviz.viewer.look.icons import icon
from gradviz.viewer.look.theme import UI_PIXELS, Theme
from gradviz.viewer.tensor_view.describe import unbroken
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip

_ANY = (1 << 24) - 1
"""Qt's value for no maximum height."""


class MapFoot(QWidget):
    """Two or three lines of text and three buttons.

    Signals:
        worst_sought: The user asks for the worst element.
        fit_sought: The user asks for the whole matrix.
        zeros_toggled: Whether exact zeros are to be highlighted.
    """

    worst_sought = Signal()
    fit_sought = Signal()
    zeros_toggled = Signal(bool)

    def __init__(self, matrices: Matrices, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._matrices = matrices
        self._less = False
        self._shown: tuple[tuple[int, int] | None, bool] = None, False
        self._element = PlainLabel(pixels=UI_PIXELS, bold=True)
        self._values = PlainLabel(pixels=UI_PIXELS)
        self._structure = PlainLabel(muted=True)
        self._legend = SignLegend(theme)
        self._zeros = QPushButton(self.tr("Zeros"))
        self._worst = QPushButton(self.tr("Worst Element"))
        self._fit = QPushButton(self.tr("Fit"))
        self._zeros.setCheckable(True)
        for button in (self._worst, self._fit):
            button.setAccessibleName(button.text())
        self._worst.setToolTip(
            self.tr("Go to the element with the largest error relative to the tolerance")
        )
        self._fit.setToolTip(self.tr("Show the whole matrix (F, or double-click)"))
        self._zeros.clicked.connect(self.zeros_toggled)
        self._worst.clicked.connect(self.worst_sought)
        self._fit.clicked.connect(self.fit_sought)
        self._lay_out()
        self.show_matrices(matrices)
        self.set_theme(theme)

    @property
    def readout(self) -> str:
        """Text about the element under the cursor."""
        values = self._values.text().replace("\N{NO-BREAK SPACE}", " ")
        return f"{self._element.text()}\n{values}"

    @property
    def structure(self) -> str:
        """Text about the structure of the matrices."""
        return self._structure.text()

    @property
    def buttons(self) -> tuple[QPushButton, QPushButton, QPushButton]:
        """Buttons for zeros, the worst element, and the whole matrix."""
        return self._zeros, self._worst, self._fit

    def show_matrices(self, matrices: Matrices) -> None:
        """Show other matrices."""
        self._matrices = matrices
        choice = matrices.choice
        pairs = zip((choice.base, choice.other), matrices.structures, strict=True)
        texts = [
            element_words.structure_text(element_words.source_name(source), structure)
            for source, structure in pairs
        ]
        # Only the second matrix: a central difference has noise in place of exact zeros.
        about = self.tr("{structure} · difference = {difference}").format(
            structure=texts[1], difference=element_words.third_tip("difference", matrices)
        )
        self._structure.setText(about if all(matrices.shape) else "")
        self._structure.setToolTip(plain_tooltip("\n".join(texts)))
        self._legend.setVisible(not self._less and matrices.wrong.count > 0)
        self._worst.setEnabled(bool(matrices.worst_elements))
        self._zeros.setChecked(choice.zeros)
        share = element_words.zero_share(matrices.structures[1])
        self._zeros.setText(self.tr("Zeros: {share}").format(share=share))
        text = self.tr("Highlight exact zeros, however small the other elements are.\n{texts}")
        self._zeros.setToolTip(plain_tooltip(text.format(texts="\n".join(texts))))

    def show_element(self, cell: tuple[int, int] | None, pinned: bool) -> None:
        """Show another element; None if the matrix is empty."""
        self._shown = cell, pinned
        matrices = self._matrices
        if cell is None:
            self._element.setText(self.tr("Nothing to compare: the matrix is empty."))
            self._values.setText("")
            return
        judgement = words.element_judgement(matrices, *cell)
        if cell == matrices.worst:
            judgement = words.of_worst(judgement)
        text = self.tr("{name}   (row {row}, column {column}): {judgement}")
        if self._less:
            text = self.tr("{name}: {judgement}")
        elif pinned:
            text = self.tr("{name}   (row {row}, column {column}, pinned): {judgement}")
        name = words.element_name(matrices, *cell)
        self._element.setText(
            text.format(name=name, row=cell[0], column=cell[1], judgement=judgement)
        )
        pairs = element_words.values_of(matrices, *cell)
        values = "   ".join(f"{label} {value}" for label, value in pairs)
        self._values.setText(unbroken(values, "   "))

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        for label in (self._element, self._values, self._structure):
            label.set_theme(theme)
        self._legend.set_theme(theme)
        for button in self.buttons:
            button.setFont(theme.font())
        self._worst.setIcon(icon("jump", theme))
        self._fit.setIcon(icon("fit", theme))

    def show_less(self, less: bool) -> None:
        """Reduce the text to one line if there is little space; the side pages show the rest."""
        self._less = less
        self.show_element(*self._shown)
        for part in (self._structure, self._values):
            part.setVisible(not less)
        self._legend.setVisible(not less and self._matrices.wrong.count > 0)
        self._element.setWordWrap(not less)
        for button in (self._worst, self._fit):
            button.setText("" if less else button.accessibleName())
        # Otherwise the layout keeps reserving height for the hidden lines.
        self.setMaximumHeight(self.minimumSizeHint().height() if less else _ANY)

    def _lay_out(self) -> None:
        first = QHBoxLayout()
        first.setSpacing(4)
        first.addWidget(self._element, 1)
        for button in self.buttons:
            first.addWidget(button)
        second = QHBoxLayout()
        second.addWidget(self._values, 1)
        second.addWidget(self._legend)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addLayout(first)
        column.addLayout(second)
        column.addWidget(self._structure)
