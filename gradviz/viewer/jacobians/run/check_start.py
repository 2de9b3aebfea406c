"""What the Jacobians tab shows before a check: what it will do, with the Function's own values."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gradviz.catalogue.messages import say
from gradviz.model.function_call import FunctionCall
from gradviz.model.tensor import TensorValue
from gradviz.story.check_start import CheckPlan, plan_of
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_view.cell_painter import paint_thumbnail, thumbnail_size
from gradviz.viewer.theme.theme import UI_PIXELS, Theme, set_style_sheet, sheet_color
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel, show_text

_ZOOM = 1.7
"""Scale of a thumbnail, so that its numbers can be read from a distance."""

_PICTURE = QSizeF(150, 64)
"""Largest thumbnail, before the zoom."""

_FRAME, _BUTTON, _WIDEST = 300, 44, 900
"""Width of a frame, height of the large button and width of the page, in pixels at scale 1."""


def _style() -> str:
    border, panel, muted = (sheet_color(each) for each in ("border", "panel", "text_muted"))
    return f"""
        QFrame#step {{ border: 1px solid {border}; border-radius: 6px; background: {panel}; }}
        QPushButton[link="true"] {{
            border: none; color: {sheet_color("accent")}; padding: 4px 8px 4px 0;
        }}
        QPushButton[link="true"]:hover, QPushButton[link="true"]:focus {{
            text-decoration: underline;
        }}
        QPushButton[link="true"]:disabled {{ color: {muted}; }}
    """


class _Picture(QWidget):
    """A tensor with its numbers, painted as in the graph."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._value: TensorValue | None = None

    def show_value(self, value: TensorValue | None, theme: Theme) -> None:
        """Show a value; nothing if it was not recorded."""
        self._value, self._theme = value, theme
        self.setVisible(value is not None)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """The zoomed size of the thumbnail."""
        if self._value is None:
            return QSize(0, 0)
        return (thumbnail_size(self._value, _PICTURE) * _ZOOM).toSize() + QSize(2, 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the thumbnail."""
        if self._value is None:
            return
        size = thumbnail_size(self._value, _PICTURE)
        painter = QPainter(self)
        painter.scale(_ZOOM, _ZOOM)
        place = QRectF(0.5, 0.5, size.width(), size.height())
        paint_thumbnail(painter, place, self._value, self._theme)
        painter.end()


class _Slopes(QWidget):
    """A sketch, without values: the numerical slope is a secant, that of backward a tangent."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme

    def sizeHint(self) -> QSize:
        """As large as a thumbnail."""
        return QSize(160, 76)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the curve, the secant through two points, and another tangent."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        curve = QPainterPath(QPointF(10, 66))
        curve.quadTo(QPointF(95, 62), QPointF(150, 8))
        painter.strokePath(curve, QPen(self.theme.color("text"), 2))
        painter.setPen(QPen(self.theme.color("backward"), 2, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(32, 58), QPointF(152, 34))
        ends = curve.pointAtPercent(0.38), curve.pointAtPercent(0.78)
        reach = (ends[1] - ends[0]) * 0.3
        painter.setPen(QPen(self.theme.color("leaf_border"), 2))
        painter.drawLine(ends[0] - reach, ends[1] + reach)
        painter.setBrush(self.theme.color("leaf_border"))
        for end in ends:
            painter.drawEllipse(end, 3, 3)
        painter.end()


class _Frame(QFrame):
    """One of the three things that a check does."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("step")
        self.title = PlainLabel(pixels=UI_PIXELS + 1, bold=True)
        self.picture = _Picture(theme)
        self.caption = PlainLabel(muted=True)
        self.sketch = _Slopes(theme)
        self.sketch.hide()
        lay_out(
            QVBoxLayout(self),
            self.title,
            *[
                (picture, 1, Qt.AlignmentFlag.AlignCenter)
                for picture in (self.picture, self.sketch)
            ],
            (self.caption, 0, Qt.AlignmentFlag.AlignBottom),
            margins=(14, 12, 14, 12),
            gap=10,
        )


class CheckStart(QWidget):
    """Three frames that say what a check does, and a large button that starts it.

    Signals:
        check_requested: Order of the check, 1 or 2.
        options_requested: The options are to be shown at this place on the screen.
    """

    check_requested = Signal(object)
    options_requested = Signal(object)

    def __init__(self, state: ViewerState) -> None:
        super().__init__()
        self._state = state
        self.head = PlainLabel(say("story.check_question"), pixels=22, bold=True)
        self.count = PlainLabel(pixels=UI_PIXELS + 1)
        self.frames = tuple(_Frame(state.theme) for _ in range(3))
        self.check = QPushButton(self.tr("Check the Gradient"))
        self.check.setProperty("primary", True)
        self.second = self._link(self.tr("Check the Second Derivative"))
        self.options = self._link(self.tr("Options"))
        self.what = PlainLabel(
            self.tr("eps, atol, rtol, complex, other incoming gradients"), muted=True
        )
        self.reason = PlainLabel()
        self.check.clicked.connect(lambda: self.check_requested.emit(1))
        self.second.clicked.connect(lambda: self.check_requested.emit(2))
        self.options.clicked.connect(self._on_options_clicked)
        self._lay_out()
        set_theme_font(self.check, state.theme, 17, bold=True)
        for link in (self.second, self.options):
            set_theme_font(link, state.theme, bold=True)
        self.update_theme()
        self.show_subject("", "")

    def _link(self, text: str) -> QPushButton:
        link = QPushButton(text)
        link.setProperty("link", True)
        link.setFlat(True)
        link.setCursor(Qt.CursorShape.PointingHandCursor)
        return link

    def show_subject(self, name: str, function: str, call: FunctionCall | None = None) -> None:
        """Show the arguments and outputs of what a check compares.

        Args:
            name: Name of what is checked, if it is not simply the scene itself; else empty.
            function: Name of the custom Function; empty if something else is checked.
            call: The call that is repeated, if that is known.
        """
        index = self._state.index
        plan = CheckPlan(function=function) if index is None else plan_of(index, function, call)
        for number, (frame, title, caption) in enumerate(
            zip(self.frames, plan.titles, plan.captions, strict=True), 1
        ):
            frame.title.setText(f"{number}  {title}")
            show_text(frame.caption, caption)
        moved, seen, agree = self.frames
        agree.picture.hide()
        agree.sketch.show()
        for frame, items in ((moved, plan.inputs), (seen, plan.outputs)):
            tensor = items[0].tensor if items else None
            value = None if tensor is None else self._state.value(tensor)
            frame.picture.show_value(value, self._state.theme)
        text = plan.count
        if not text and name:
            text = self.tr("In this scene, the check tests {0}.").format(name)
        show_text(self.count, text)

    def set_reason(self, reason: str) -> None:
        """Set why nothing can be checked; empty if a check can start."""
        show_text(self.reason, reason)
        for button in (self.check, self.second):
            button.setEnabled(not reason)

    def _lay_out(self) -> None:
        page = QWidget()
        steps = lay_out(QHBoxLayout(), *[(frame, 1) for frame in self.frames], gap=14)
        start = lay_out(QHBoxLayout(), self.check, (self.reason, 1), 1, gap=16)
        links = lay_out(QHBoxLayout(), self.second, self.options, (self.what, 1))
        lay_out(QVBoxLayout(page), self.head, self.count, steps, start, links, margins=None, gap=18)
        self._page = page
        lay_out(QHBoxLayout(self), 1, (page, 8, Qt.AlignmentFlag.AlignTop), 1, margins=None)

    def _on_options_clicked(self) -> None:
        link = self.options
        self.options_requested.emit(link.mapToGlobal(link.rect().bottomLeft()))

    def update_theme(self) -> None:
        """Fit sizes to the theme."""
        theme = self._state.theme
        set_style_sheet(self, _style())
        self._page.setMaximumWidth(theme.px(_WIDEST))
        for frame in self.frames:
            frame.setMinimumHeight(theme.px(170))
        self.check.setMinimumSize(theme.px(_FRAME), theme.px(_BUTTON))
