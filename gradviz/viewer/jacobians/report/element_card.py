"""Explains one Jacobian element: both values, and how they were computed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from gradviz.drawing.cells.pair_matrices import PairMatrices
from gradviz.model.jacobian_report import JacobianReport
from gradviz.viewer.jacobians import check_text
from gradviz.viewer.jacobians.element_source import ElementSource
from gradviz.viewer.jacobians.report import element_text
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel, show_text

_MOST_VALUES = 5


class ElementCard(QWidget):
    """Shows the element under the cursor."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._outside = False
        self._name = PlainLabel(pixels=UI_PIXELS, bold=True)
        self._sign = QLabel()
        self._judgement = PlainLabel(pixels=UI_PIXELS)
        # A fixed number of labels, since the element changes with each move of the mouse.
        self._names = tuple(PlainLabel(muted=True) for _ in range(_MOST_VALUES))
        self._values = tuple(PlainLabel(pixels=UI_PIXELS) for _ in range(_MOST_VALUES))
        self._sources: tuple[ElementSource | None, ...] = ()
        self._uses = PlainLabel(pixels=UI_PIXELS, bold=True)
        self._sentence_labels = tuple(PlainLabel() for _ in range(2))
        self._rows = PlainLabel(muted=True)
        self._pinned = PlainLabel(muted=True)
        self._lay_out()
        self._uses.setToolTip(
            self.tr(
                "All nonzero numbers of this Jacobian are elements of this tensor, in one order"
            )
        )
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
        uses = (self._uses.text(),) if self._uses.text() else ()
        return (self._name.text(), self._judgement.text(), *values, *uses, *sentences)

    def show_sources(self, sources: tuple[ElementSource | None, ...]) -> None:
        """Set which elements the numerical and the analytical Jacobian consist of, if known."""
        self._sources = sources

    def show_element(
        self, report: JacobianReport, matrices: PairMatrices, cell: tuple[int, int] | None
    ) -> None:
        """Explain another element; None if the matrix is empty."""
        if cell is None:
            self._name.setText(self.tr("Nothing to compare: the matrix is empty."))
            self._judgement.setText("")
            values: list[tuple[str, str]] = []
            sentences = ["", "", ""]
        else:
            self._name.setText(check_text.element_name(matrices, *cell))
            self._judgement.setText(check_text.element_judgement(matrices, *cell))
            values = element_text.values_of(matrices, *cell)
            values.append((self.tr("allowed"), element_text.allowed(matrices, *cell)))
            sentences = [
                element_text.moved(report, matrices, *cell),
                element_text.backward_text(report, matrices, *cell),
                element_text.row_and_column(matrices, *cell),
            ]
        self._show_uses(cell)
        self._outside = cell is not None and matrices.excess(*cell) > 1
        self._fill(values, sentences)
        self.update_theme()
        self.setAccessibleDescription("\n".join(self.texts))

    def show_pinned(self, pinned: bool) -> None:
        """Show whether the element stays while the mouse moves."""
        text = self.tr("Pinned. Click it again or press Escape to unpin it.")
        self._pinned.setText(
            text if pinned else self.tr("Click an element or press Enter to pin it.")
        )

    def _fill(self, values: list[tuple[str, str]], sentences: list[str]) -> None:
        rest = [("", "")] * (_MOST_VALUES - len(values))
        for name, value, texts in zip(self._names, self._values, values + rest, strict=True):
            name.setText(texts[0])
            value.setText(texts[1])
            for label in (name, value):
                label.setVisible(bool(texts[1]))
        for label, text in zip((*self._sentence_labels, self._rows), sentences, strict=True):
            show_text(label, text)

    def _show_uses(self, cell: tuple[int, int] | None) -> None:
        """Name what forward and backward multiply by, if their Jacobians show it."""
        forward, backward = (
            "" if each is None or cell is None else each.at(*cell)
            for each in self._sources or (None, None)
        )
        text = self.tr("forward uses {forward}, backward uses {backward}")
        if forward == backward:
            text = self.tr("forward and backward use {forward}") if forward else ""
        elif not backward:
            text = self.tr("forward uses {forward}")
        elif not forward:
            text = self.tr("backward uses {backward}")
        show_text(self._uses, text.format(forward=forward, backward=backward))

    def update_theme(self) -> None:
        """Show the sign of the judgment in the colors of the theme."""
        side = self._theme.px(16)
        sign = icon("check", self._theme, "ok")
        if self._outside:
            sign = icon("error", self._theme, "error")
        self._sign.setPixmap(sign.pixmap(side, side))
        self._sign.setVisible(bool(self._judgement.text()))

    def _lay_out(self) -> None:
        head = lay_out(
            QHBoxLayout(), (self._sign, 0, Qt.AlignmentFlag.AlignTop), (self._judgement, 1), gap=6
        )
        values = FlowLayout(gap=14)
        for pair in zip(self._names, self._values, strict=True):
            row = QHBoxLayout()
            row.setSpacing(6)
            for label in pair:
                # On one line, since a cut number would read as another one.
                label.setWordWrap(False)
                label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
                row.addWidget(label)
            values.addItem(row)
        lay_out(
            QVBoxLayout(self),
            self._name,
            head,
            values,
            self._uses,
            *self._sentence_labels,
            self._rows,
            self._pinned,
            gap=4,
        )
