"""Maps that fill up during a check; missing parts are hatched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy.typing as npt
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

PartialMapKind = Literal["numerical", "analytical"]


_GAP = 10


class PartialMapView(QWidget):
    """Shows a few pairs in a column, with a note that nothing has been compared yet."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._says = PlainLabel(pixels=UI_PIXELS, muted=True)
        self._rows: list[_PairRow] = []
        self._column = lay_out(QVBoxLayout(self), self._says, gap=_GAP)
        self.setAccessibleName(self.tr("Matrices being computed"))

    @property
    def texts(self) -> tuple[str, ...]:
        """All visible lines, from the top."""
        return (self._says.text(), *(text for row in self._rows for text in row.texts))

    @property
    def pictures(self) -> tuple[PartialMapImage, ...]:
        """Numerical and analytical picture of each pair."""
        return tuple(picture for row in self._rows for picture in row.pictures)

    def show_pairs(self, pairs: Sequence[PartialPair], caption: str) -> None:
        """Show other pairs."""
        self._says.setText(caption)
        while len(self._rows) > len(pairs):
            row = self._rows.pop()
            self._column.removeWidget(row)
            # No longer in the layout, but visible until the event loop deletes it.
            row.hide()
            row.deleteLater()
        while len(self._rows) < len(pairs):
            row = _PairRow(self._theme)
            self._rows.append(row)
            self._column.addWidget(row, 1)
        for row, pair in zip(self._rows, pairs, strict=True):
            row.show_pair(pair)
        self.setAccessibleDescription("\n".join(self.texts))


class _PairRow(QWidget):
    """The two maps of a pair, side by side."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._title = PlainLabel(pixels=UI_PIXELS, bold=True)
        self.pictures = (PartialMapImage(theme), PartialMapImage(theme))
        self._labels = (PlainLabel(muted=True), PlainLabel(muted=True))
        column = lay_out(QVBoxLayout(self), self._title, gap=4)
        maps = QHBoxLayout()
        maps.setSpacing(_GAP)
        for picture, label in zip(self.pictures, self._labels, strict=True):
            half = lay_out(QVBoxLayout(), label, (picture, 1), gap=2)
            maps.addLayout(half, 1)
        column.addLayout(maps, 1)

    @property
    def texts(self) -> tuple[str, ...]:
        """Title, and the progress of each map."""
        return (self._title.text(), *(label.text() for label in self._labels))

    def show_pair(self, pair: PartialPair) -> None:
        """Show another pair, or a later state of the same pair."""
        self._title.setText(check_text.pair_name(pair.block))
        for picture, label, shown in zip(self.pictures, self._labels, pair.maps, strict=True):
            picture.show_map(shown)
            label.setText(self._progress_text(shown))

    def _progress_text(self, shown: PartialMap) -> str:
        if shown.kind == "numerical":
            text = self.tr("numerical: {known} of {count} rows")
            return text.format(
                known=format_count(shown.known[0]), count=format_count(shown.shape[0])
            )
        text = self.tr("analytical: {known} of {count} columns")
        return text.format(known=format_count(shown.known[1]), count=format_count(shown.shape[1]))


class PartialMapImage(QWidget):
    """One map that fills the whole widget."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.shown: PartialMap | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_map(self, shown: PartialMap) -> None:
        """Show another map."""
        self.shown = shown
        self.update()

    def sizeHint(self) -> QSize:
        """Preferred size; the widget expands beyond it."""
        return QSize(160, 120)

    def minimumSizeHint(self) -> QSize:
        """Minimum useful size."""
        return QSize(60, 40)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the computed part and hatch the rest."""
        painter = QPainter(self)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.fillRect(box, self._theme.color("raised"))
        # A plain ground could be mistaken for a matrix of zeros.
        brush = QBrush(self._theme.color("border_strong"), Qt.BrushStyle.BDiagPattern)
        painter.fillRect(box, brush)
        shown = self.shown
        if shown is not None and shown.cells.heat.size:
            # The matrix of an empty input or output has no rows or columns.
            width = box.width() * shown.known[1] / max(1, shown.shape[1])
            height = box.height() * shown.known[0] / max(1, shown.shape[0])
            part = rect_of(QRectF(box.left(), box.top(), width, height))
            grid = grid_in(part, shown.cells.shape, screen_pixels(painter))
            painter.save()
            painter.setClipRect(QRectF(box.left(), box.top(), width, height))
            paint_cells(painter, cell_shapes(shown.cells, grid, theme_paint(self._theme.name)))
            painter.restore()
        painter.setPen(QPen(self._theme.color("border_strong"), 1))
        painter.drawRect(box)
        painter.end()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartialMap:
    """One matrix, as far as it has been computed.

    Attributes:
        kind: ``numerical`` grows by rows, ``analytical`` by columns.
        shape: Rows and columns of the complete matrix.
        cells: Computed part, on the color scale that both matrices of a pair share.
    """

    kind: PartialMapKind
    shape: tuple[int, int]
    cells: Cells

    @property
    def known(self) -> tuple[int, int]:
        """Rows and columns computed so far."""
        return self.cells.shape


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartialPair:
    """One pair of output and input that has not been compared yet.

    Attributes:
        block: Block of the pair.
        maps: Numerical and analytical.
    """

    block: JacobianBlock
    maps: tuple[PartialMap, PartialMap]


def partial_pairs(
    blocks: tuple[JacobianBlock, ...], values: Mapping[int, TensorValue]
) -> tuple[PartialPair, ...]:
    """Prepare the pairs that have computed values, the most complete first.

    Args:
        blocks: Blocks of an unfinished report.
        values: Their matrices, by tensor number.
    """
    pairs = [_pair(block, values) for block in blocks if _is_available(block, values)]
    pairs.sort(key=_share, reverse=True)
    return tuple(pairs[:MOST_PAIRS])


def _is_available(block: JacobianBlock, values: Mapping[int, TensorValue]) -> bool:
    return block.numerical in values and block.analytical in values


def _pair(block: JacobianBlock, values: Mapping[int, TensorValue]) -> PartialPair:
    arrays = values[block.numerical].array(), values[block.analytical].array()
    # Numerical rows and analytical columns are complete, so each gives one side of the shape.
    shape = arrays[1].shape[0], arrays[0].shape[1]
    colors = CellColors(limit=color_limit(*arrays))
    kinds: tuple[PartialMapKind, PartialMapKind] = ("numerical", "analytical")
    first, second = (
        PartialMap(kind=kind, shape=shape, cells=_pooled(values, colors))
        for kind, values in zip(kinds, arrays, strict=True)
    )
    return PartialPair(block=block, maps=(first, second))


def _pooled(values: npt.NDArray[Any], colors: CellColors) -> Cells:
    cells = matrix_cells(values, colors)
    cells.pool()
    return cells


def _share(pair: PartialPair) -> float:
    """Fraction of the numerical rows computed; pairs in progress come before waiting ones."""
    (rows, _), known = pair.maps[0].shape, pair.maps[0].known
    return known[0] / rows if rows else 0.0
