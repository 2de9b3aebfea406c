"""Lists what a window really paints: every text with its size in pixels, and whether it is cut.

    texts = painted_texts(window)
    assert [each for each in texts if each.pixels < 18] == []
    assert [each for each in texts if each.is_cut] == []
    assert visible_scroll_bars(window) == []

Each visible widget is rendered to a paint device that draws nothing and only records. So the list
has the texts of labels, of buttons, of widgets with a paint event of their own, and of graphics
scenes with the zoom of their view. Texts that are first painted to a pixmap are not in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize
from PySide6.QtGui import (
    QFontInfo,
    QFontMetricsF,
    QPaintDevice,
    QPaintEngine,
    QPaintEngineState,
    QPainterPath,
    QPixmap,
    QPolygonF,
    QRegion,
    QTextItem,
)
from PySide6.QtWidgets import QGraphicsView, QScrollBar, QWidget

_TOLERANCE = 1.5
"""Pixels by which a text may reach beyond its widget: smooth edges of letters do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaintedText:
    """One text, as painted.

    Attributes:
        text: The characters.
        pixels: Font size in pixels of the window, after all scaling.
        rect: The box around the letters, in pixels of the window.
        owner: Class of the widget; of a graphics view, that of the view.
        is_cut: Whether letters are outside of the visible part of the widget or of the painter's
            clip, or an ellipsis stands for some of them.
    """

    text: str
    pixels: float
    rect: QRectF
    owner: str
    is_cut: bool


def painted_texts(window: QWidget) -> list[PaintedText]:
    """Return all texts that a window paints, from the lowest widget to the highest.

    Args:
        window: A visible window, or any other visible widget, with its children.
    """
    widgets = [window, *window.findChildren(QWidget)]
    return [each for widget in widgets if _is_seen(widget) for each in _texts_of(window, widget)]


def visible_scroll_bars(window: QWidget) -> list[str]:
    """Return the classes of the widgets that show a scroll bar."""
    bars = (bar for bar in window.findChildren(QScrollBar) if _is_seen(bar))
    return [type(bar.parentWidget().parentWidget()).__name__ for bar in bars]


def _is_seen(widget: QWidget) -> bool:
    return widget.isVisible() and not widget.visibleRegion().isEmpty()


def _texts_of(window: QWidget, widget: QWidget) -> Iterator[PaintedText]:
    device = _RecordingDevice(widget.size())
    # A graphics view has another method of this name.
    QWidget.render(widget, device, QPoint(), QRegion(), QWidget.RenderFlag(0))
    view = widget.parentWidget()
    owner = type(view if isinstance(view, QGraphicsView) else widget).__name__
    moved = QPointF(QPoint() if widget is window else widget.mapTo(window, QPoint()))
    whole = QRectF(widget.visibleRegion().boundingRect())
    for text, pixels, rect, clip in device.engine.texts:
        seen = whole if clip is None else whole & clip
        if not rect.intersects(seen):
            continue
        inside = seen.adjusted(-_TOLERANCE, -_TOLERANCE, _TOLERANCE, _TOLERANCE).contains(rect)
        yield PaintedText(
            text=text,
            pixels=pixels,
            rect=rect.translated(moved),
            owner=owner,
            is_cut=not inside or _has_ellipsis(text),
        )


def _has_ellipsis(text: str) -> bool:
    """Whether letters are left out; by itself, an ellipsis means "to" or "and so on"."""
    return "…" in text.replace("\xa0", " ").replace(" … ", "") and text.strip() != "…"


class _RecordingEngine(QPaintEngine):
    def __init__(self) -> None:
        super().__init__(QPaintEngine.PaintEngineFeature.AllFeatures)
        self.texts: list[tuple[str, float, QRectF, QRectF | None]] = []

    def begin(self, device: QPaintDevice) -> bool:
        return True

    def end(self) -> bool:
        return True

    def type(self) -> QPaintEngine.Type:
        return QPaintEngine.Type.User

    def updateState(self, state: QPaintEngineState) -> None:  # noqa: N802 - Qt's name
        pass

    def drawPath(self, path: QPainterPath) -> None:  # noqa: N802 - Qt's name
        pass

    def drawPixmap(self, rect: QRectF, pixmap: QPixmap, part: QRectF) -> None:  # noqa: N802 - Qt's name
        pass

    def drawPolygon(self, points: QPolygonF, mode: QPaintEngine.PolygonDrawMode) -> None:  # noqa: N802 - Qt's name
        pass

    def drawTextItem(self, place: QPointF, item: QTextItem) -> None:  # noqa: N802 - Qt's name
        if not item.text().strip():
            return
        painter = self.painter()
        transform, font = painter.combinedTransform(), item.font()
        size = font.pixelSize() if font.pixelSize() > 0 else QFontInfo(font).pixelSize()
        letters = QFontMetricsF(font).tightBoundingRect(item.text()).translated(place)
        clip = transform.mapRect(painter.clipBoundingRect()) if painter.hasClipping() else None
        scale = abs(transform.determinant()) ** 0.5
        self.texts.append((item.text(), size * scale, transform.mapRect(letters), clip))


class _RecordingDevice(QPaintDevice):
    def __init__(self, size: QSize) -> None:
        super().__init__()
        self.engine = _RecordingEngine()
        metric = QPaintDevice.PaintDeviceMetric
        box = QRect(QPoint(), size)
        self._metrics = {
            metric.PdmWidth: box.width(),
            metric.PdmHeight: box.height(),
            metric.PdmWidthMM: round(box.width() * 25.4 / 96),
            metric.PdmHeightMM: round(box.height() * 25.4 / 96),
            metric.PdmDepth: 32,
            metric.PdmNumColors: 1 << 24,
            metric.PdmDpiX: 96,
            metric.PdmDpiY: 96,
            metric.PdmPhysicalDpiX: 96,
            metric.PdmPhysicalDpiY: 96,
            metric.PdmDevicePixelRatio: 1,
            metric.PdmDevicePixelRatioScaled: 1 << 16,
        }

    def paintEngine(self) -> QPaintEngine:  # noqa: N802 - Qt's name
        return self.engine

    def metric(self, metric: QPaintDevice.PaintDeviceMetric) -> int:
        return self._metrics.get(metric, 1)
