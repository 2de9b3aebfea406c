"""Maps that fill up during a check; missing parts are hatched."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from gradviz.catalogue.language import format_count
from gradviz.drawing.appearance.palette import theme_paint
from gradviz.drawing.cells.cell_grid import grid_in
from gradviz.drawing.cells.layout import cell_shapes
from gradviz.viewer.jacobians import check_text
from gradviz.viewer.jacobians.partial_maps import PartialMap, PartialPair
from gradviz.viewer.tensor_view.cell_painter import paint_cells, rect_of, screen_pixels
from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel

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
