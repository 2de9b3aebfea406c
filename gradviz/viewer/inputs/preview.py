"""A small picture of the tensor that a fill creates."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.model.tensor import TensorValue
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.tensor_view.thumbnail import paint_thumbnail, thumbnail_size

_SCALE = 1.2
"""Thumbnails are drawn for the graph; here they are enlarged to match the text."""
_MOST_HEIGHT = 96


class FillPreview(QWidget):
    """Shows the elements of a fill; hidden without a tensor."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._value: TensorValue | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.hide()

    @property
    def value(self) -> TensorValue | None:
        """The tensor that is shown; None without one."""
        return self._value

    def show_value(self, value: TensorValue | None) -> None:
        """Show a tensor, or hide the preview."""
        if value != self._value:
            self._value = value
            self._fit()
        self.setVisible(value is not None)

    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme."""
        self._theme = theme
        self._fit()

    def _fit(self) -> None:
        height = 0.0 if self._value is None else self._size(self._value).height()
        self.setFixedHeight(round(height * self._factor()) + 2)
        self.update()

    def _factor(self) -> float:
        return _SCALE * self._theme.scale

    def _size(self, value: TensorValue) -> QSizeF:
        most = QSizeF(max(20.0, (self.width() - 2) / self._factor()), _MOST_HEIGHT)
        return thumbnail_size(value, most)

    def sizeHint(self) -> QSize:
        """Any width, at the height that the tensor needs."""
        return QSize(120, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adjust the height to the new width."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the tensor."""
        if self._value is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(1, 1)
        painter.scale(self._factor(), self._factor())
        box = QRectF(QPointF(0, 0), self._size(self._value))
        paint_thumbnail(painter, box, self._value, self._theme)
        painter.end()
