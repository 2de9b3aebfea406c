"""The layout and cached painting of a plane of cells at the size of a widget."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPixmap

from gradviz.viewer.look.theme import Theme
from gradviz.viewer.tensor_view.cells import Cells, cell_rect
from gradviz.viewer.tensor_view.fit import Fit, Fitter

_NOTHING = Fit(QSize(0, 0), None)
_MOST_FITS = 4


class CellsPicture:
    """Fits cells into a widget and caches the painting until something changes."""

    def __init__(self, theme: Theme, *, large: bool) -> None:
        """Start without cells.

        Args:
            theme: Colors and fonts to draw with.
            large: Whether the cells fill the widget; otherwise they have a moderate fixed size.
        """
        self._theme = theme
        self._large = large
        self._cells: Cells | None = None
        self._fitter: Fitter | None = None
        self._fits: dict[object, Fit] = {}
        self._pixmap: QPixmap | None = None
        self._size = QSize(0, 0)

    @property
    def cells(self) -> Cells | None:
        """The prepared cells; None before the first `show`."""
        return self._cells

    def show(self, cells: Cells, theme: Theme) -> None:
        """Replace the cells."""
        self._cells = cells
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Lay out and paint with another theme."""
        self._theme = theme
        if self._cells is not None:
            self._fitter = Fitter(self._cells.plane, theme)
        self._fits.clear()
        self._pixmap = None

    def resize(self, size: QSize) -> None:
        """Fit into a widget of another size."""
        self._size = size
        self._pixmap = None

    def fit(self) -> Fit:
        """Layout of the cells in the widget."""
        room = QSize(max(1, self._size.width() - 2), max(1, self._size.height() - 2))
        return self._fit_into(room if self._large else room.width())

    def size_at(self, width: int) -> QSize:
        """Size of all cells in a panel of the given width."""
        return self._fit_into(max(1, width)).size

    def area(self) -> QRectF:
        """Rectangle of all cells in the widget."""
        size = self.fit().size
        left = top = 1
        if self._large:
            left = max(1, (self._size.width() - size.width()) // 2)
            top = max(1, (self._size.height() - size.height()) // 2)
        return QRectF(left, top, size.width(), size.height())

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Rectangle of one cell in the widget."""
        if self._cells is None:
            return QRectF()
        return cell_rect(self.area(), self._cells.plane, row, column)

    def cell_at(self, place: QPointF) -> tuple[int, int] | None:
        """The cell at a position in the widget; None outside the cells."""
        area = self.area()
        if self._cells is None or not area.contains(place) or self._cells.plane.heat.size == 0:
            return None
        plane = self._cells.plane
        row = int((place.y() - area.top()) / area.height() * plane.rows)
        column = int((place.x() - area.left()) / area.width() * plane.columns)
        return min(row, plane.rows - 1), min(column, plane.columns - 1)

    def pixmap(self, ratio: float) -> QPixmap:
        """All cells, painted once, since every mouse move repaints the cursor on top of them."""
        if self._pixmap is None or self._pixmap.devicePixelRatio() != ratio:
            self._pixmap = QPixmap(self._size * ratio)
            self._pixmap.setDevicePixelRatio(ratio)
            self._pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._pixmap)
            fit = self.fit()
            painter.setFont(self._theme.font(fit.pixels))
            if self._cells is not None:
                self._cells.paint(painter, self.area(), self._theme, fit.texts)
            painter.end()
        return self._pixmap

    def _fit_into(self, room: QSize | int) -> Fit:
        """Layout of the cells in an available size, or in an available width."""
        key = room if isinstance(room, int) else (room.width(), room.height())
        if self._fitter is None:
            return _NOTHING
        if key not in self._fits:
            if len(self._fits) > _MOST_FITS:
                self._fits.clear()
            if isinstance(room, int):
                self._fits[key] = self._fitter.in_panel(room)
            else:
                self._fits[key] = self._fitter.in_room(room)
        return self._fits[key]
