"""Maps that fill up during a check; missing parts are hatched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from gradviz.catalogue.language import format_count
from gradviz.drawing.appearance.color_map import color_limit
from gradviz.drawing.appearance.palette import theme_paint
from gradviz.drawing.cells.cell_grid import grid_in
from gradviz.drawing.cells.cells import CellColors, Cells, matrix_cells
from gradviz.drawing.cells.layout import cell_shapes
from gradviz.model.jacobian_report import JacobianBlock
from gradviz.model.tensor import TensorValue
from gradviz.viewer.jacobians import check_text
from gradviz.viewer.tensor_view.cell_painter import paint_cells, rect_of, screen_pixels
from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel

MOST_PAIRS = 3
"""Maximum number of painted pairs."""

_GAP = 10


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartialPair:
    """One pair of output and input that has not been compared yet.

    Attributes:
        block: Block of the pair.
        shape: Rows and columns of the complete matrices.
        maps: What is computed of the numerical matrix, which grows by rows, and of the analytical
            one, which grows by columns, on one color scale.
    """

    block: JacobianBlock
    shape: tuple[int, int]
    maps: tuple[Cells, Cells]

    @property
    def known(self) -> tuple[int, int]:
        """Numerical rows and analytical columns computed so far."""
        return self.maps[0].shape[0], self.maps[1].shape[1]


def partial_pairs(
    blocks: tuple[JacobianBlock, ...], values: Mapping[int, TensorValue]
) -> tuple[PartialPair, ...]:
    """Prepare the pairs that have computed values, the most complete first.

    Args:
        blocks: Blocks of an unfinished report.
        values: Their matrices, by tensor number.
    """
    known = [each for each in blocks if each.numerical in values and each.analytical in values]
    pairs = [_pair(block, values) for block in known]
    pairs.sort(key=lambda pair: pair.known[0] / max(1, pair.shape[0]), reverse=True)
    return tuple(pairs[:MOST_PAIRS])


def _pair(block: JacobianBlock, values: Mapping[int, TensorValue]) -> PartialPair:
    arrays = values[block.numerical].array(), values[block.analytical].array()
    colors = CellColors(limit=color_limit(*arrays))
    maps = matrix_cells(arrays[0], colors), matrix_cells(arrays[1], colors)
    for each in maps:
        each.pool()
    # Numerical rows and analytical columns are complete, so each gives one side of the shape.
    shape = arrays[1].shape[0], arrays[0].shape[1]
    return PartialPair(block=block, shape=shape, maps=maps)


class PartialMapView(QWidget):
    """Shows a few pairs in a column, with a note that nothing has been compared yet."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._says = PlainLabel(pixels=UI_PIXELS, muted=True)
        self._rows = [_PairRow(theme) for _ in range(MOST_PAIRS)]
        lay_out(QVBoxLayout(self), self._says, *((row, 1) for row in self._rows), gap=_GAP)
        self.setAccessibleName(self.tr("Matrices being computed"))

    @property
    def texts(self) -> tuple[str, ...]:
        """All visible lines, from the top."""
        shown = (row for row in self._rows if not row.isHidden())
        return (self._says.text(), *(label.text() for row in shown for label in row.labels))

    def show_pairs(self, pairs: Sequence[PartialPair], caption: str) -> None:
        """Show other pairs."""
        for row, pair in zip_longest(self._rows, pairs):
            row.setVisible(pair is not None)
            if pair is not None:
                row.show_pair(pair)
        self.show_caption(caption)

    def show_caption(self, caption: str) -> None:
        """Show another text above the pairs."""
        self._says.setText(caption)
        self.setAccessibleDescription("\n".join(self.texts))


class _PairRow(QWidget):
    """The two maps of a pair, side by side."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.labels = (
            PlainLabel(pixels=UI_PIXELS, bold=True),
            PlainLabel(muted=True),
            PlainLabel(muted=True),
        )
        self._maps = PartialMapImage(theme), PartialMapImage(theme)
        halves = [
            (lay_out(QVBoxLayout(), label, (each, 1), gap=2), 1)
            for label, each in zip(self.labels[1:], self._maps, strict=True)
        ]
        maps = lay_out(QHBoxLayout(), *halves, gap=_GAP)
        lay_out(QVBoxLayout(self), self.labels[0], (maps, 1), gap=4)

    def show_pair(self, pair: PartialPair) -> None:
        """Show another pair, or a later state of the same pair."""
        numbers = zip(map(format_count, pair.known), map(format_count, pair.shape), strict=True)
        texts = (
            self.tr("numerical: {known} of {count} rows"),
            self.tr("analytical: {known} of {count} columns"),
        )
        progress = [
            text.format(known=known, count=count)
            for text, (known, count) in zip(texts, numbers, strict=True)
        ]
        for label, text in zip(
            self.labels, (check_text.pair_name(pair.block), *progress), strict=True
        ):
            label.setText(text)
        for each, cells in zip(self._maps, pair.maps, strict=True):
            each.show_map(cells, pair.shape)


class PartialMapImage(QWidget):
    """One map that fills the whole widget."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.cells: Cells | None = None
        self._shape = 1, 1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(60, 40)

    def show_map(self, cells: Cells, shape: tuple[int, int]) -> None:
        """Show the computed part of a matrix of some rows and columns."""
        self.cells, self._shape = cells, shape
        self.update()

    def sizeHint(self) -> QSize:
        """Preferred size; the widget expands beyond it."""
        return QSize(160, 120)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the computed part and hatch the rest."""
        painter = QPainter(self)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.fillRect(box, self._theme.color("raised"))
        # A plain ground could be mistaken for a matrix of zeros.
        brush = QBrush(self._theme.color("border_strong"), Qt.BrushStyle.BDiagPattern)
        painter.fillRect(box, brush)
        cells = self.cells
        if cells is not None and cells.heat.size:
            # The matrix of an empty input or output has no rows or columns.
            width = box.width() * cells.shape[1] / max(1, self._shape[1])
            height = box.height() * cells.shape[0] / max(1, self._shape[0])
            part = QRectF(box.left(), box.top(), width, height)
            grid = grid_in(rect_of(part), cells.shape, screen_pixels(painter))
            painter.save()
            painter.setClipRect(part)
            paint_cells(painter, cell_shapes(cells, grid, theme_paint(self._theme.name)))
            painter.restore()
        painter.setPen(QPen(self._theme.color("border_strong"), 1))
        painter.drawRect(box)
        painter.end()
