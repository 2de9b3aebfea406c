"""Paints the sketch of a graph before the text of a row."""

from __future__ import annotations

from functools import lru_cache
from typing import cast

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QPainter, QPen, QPixmap

from gradviz.drawing.content.drawn_graph import DrawnKind
from gradviz.drawing.display.cards import kind_role
from gradviz.model.graph_sketch import SKETCH_SIZE, GraphSketch, SketchBox
from gradviz.viewer.theme.theme import Name, Theme

_WIDTH, _HEIGHT = 48, 36
"""Size in pixels, before the theme's scale factor."""

_INSET, _ROUND, _LEAST = 3.0, 1.5, 2.5


def sketch_pixmap(sketch: GraphSketch, theme: Theme) -> QPixmap:
    """Return a picture of a graph in the colors of a theme, sharp on the sharpest screen."""
    app = QGuiApplication.instance()
    ratio = app.devicePixelRatio() if isinstance(app, QGuiApplication) else 1.0
    return _painted(sketch, theme.name, theme.scale, ratio)


# By what a theme consists of, as it changes in place.
@lru_cache(maxsize=256)
def _painted(sketch: GraphSketch, name: Name, type_scale: float, ratio: float) -> QPixmap:
    theme = Theme(name=name, scale=type_scale)
    width, height = theme.px(_WIDTH), theme.px(_HEIGHT)
    pixmap = QPixmap(round(width * ratio), round(height * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(theme.color("border"))
    painter.setBrush(theme.color("canvas"))
    painter.drawRoundedRect(QRectF(0.5, 0.5, width - 1, height - 1), 3, 3)
    rects = [_rect(box, width, height) for box in sketch.boxes]
    painter.setPen(QPen(theme.color("text_muted"), 0.8))
    for source, target in sketch.lines:
        painter.drawLine(QLineF(rects[source].center(), rects[target].center()))
    for box, rect in zip(sketch.boxes, rects, strict=True):
        kind = cast("DrawnKind", box.kind)
        painter.setPen(QPen(theme.color(kind_role(kind, "border")), 0.9))
        painter.setBrush(theme.color(kind_role(kind, "fill")))
        painter.drawRoundedRect(rect, _ROUND, _ROUND)
    painter.end()
    return pixmap


def _rect(box: SketchBox, width: int, height: int) -> QRectF:
    """Where a box is in a picture, large enough to be seen."""
    across = (width - 2 * _INSET) / SKETCH_SIZE[0]
    down = (height - 2 * _INSET) / SKETCH_SIZE[1]
    rect = QRectF(box.x * across, box.y * down, box.width * across, box.height * down)
    middle = rect.center()
    rect.setSize(rect.size().expandedTo(QRectF(0, 0, _LEAST, _LEAST).size()))
    rect.moveCenter(middle)
    return rect.translated(_INSET, _INSET)
