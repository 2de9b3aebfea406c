"""A small rounded label of a word or two, such as a role, a count or a storage."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from gradviz.document.tag import PillTone, Tag
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.plain_text import plain_tooltip

_ROLES: dict[PillTone, tuple[PaletteRole, PaletteRole, PaletteRole]] = {
    "plain": ("raised", "border", "text_muted"),
    "accent": ("accent_soft", "accent", "accent"),
    "leaf": ("leaf_fill", "leaf_border", "leaf_text"),
    "saved": ("saved_fill", "saved_border", "saved_text"),
    "output": ("output_fill", "output_border", "output_text"),
    "forward": ("forward_fill", "forward", "forward"),
    "backward": ("backward_fill", "backward", "backward"),
    "ok": ("ok_fill", "ok", "ok"),
    "warning": ("warning_fill", "warning", "warning"),
    "error": ("error_fill", "error", "error"),
}
"""Background, border and text color of each tone."""

_PIXELS, _ICON = 11, 12


class Pill(QAbstractButton):
    """A button that shows a `Tag`; only tags with a target can be clicked or focused.

    Args:
        tag: The content.
        theme: Colors and fonts.
        pressable: Whether it can be clicked even if its tag has no target.
        parent: The parent widget.

    Attributes:
        tag: The content shown.
        is_highlighted: Whether it is highlighted.

    Signals:
        hovered: Whether the mouse is over it.
    """

    hovered = Signal(bool)

    def __init__(
        self, tag: Tag, theme: Theme, *, pressable: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.tag = Tag("")
        self._theme = theme
        self._pressable = pressable
        self.is_highlighted = False
        set_theme_font(self, theme, _PIXELS, bold=True)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.show_tag(tag)
        set_theme_font(self, theme, _PIXELS, bold=True)

    def show_tag(self, tag: Tag) -> None:
        """Replace the content."""
        if tag == self.tag:
            return
        self.tag = tag
        pressable = self._pressable or tag.jump is not None
        shape = Qt.CursorShape.PointingHandCursor if pressable else Qt.CursorShape.ArrowCursor
        self.setCursor(shape)
        policy = Qt.FocusPolicy.StrongFocus if pressable else Qt.FocusPolicy.NoFocus
        self.setFocusPolicy(policy)
        # The text is painted without mnemonics, so & needs no escaping.
        self.setText(tag.text)
        self.setToolTip(plain_tooltip(tag.tip))
        self.setAccessibleName(tag.text)
        self.setAccessibleDescription(tag.tip)
        self.updateGeometry()

    def set_highlighted(self, is_highlighted: bool) -> None:
        """Turn the highlight on or off."""
        if is_highlighted != self.is_highlighted:
            self.is_highlighted = is_highlighted
            self.update()

    def sizeHint(self) -> QSize:
        """Return the size of the text with padding."""
        metrics = QFontMetrics(self.font())
        width = metrics.horizontalAdvance(self.text()) + 14 + self._icon_space
        return QSize(width, metrics.height() + 4)

    @property
    def _icon_space(self) -> int:
        """Width of the icon before the text, and of the gap between them."""
        return 0 if self.icon().isNull() else self._theme.px(_ICON) + 4

    def minimumSizeHint(self) -> QSize:
        """Return a small width and the full height."""
        return QSize(20, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rounded background, the border and the text."""
        ground, border, ink = _ROLES["accent" if self.is_highlighted else self.tag.tone]
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        stands_out = self.hasFocus() or self.is_highlighted
        edge = "focus" if stands_out else border
        painter.setPen(QPen(self._theme.color(edge), 2 if stands_out else 1))
        painter.setBrush(self._theme.color(ground))
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        painter.setPen(self._theme.color(ink))
        metrics = QFontMetrics(self.font())
        width = self.width() - 12 - self._icon_space
        text = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, width)
        inside = self.rect().adjusted(self._icon_space, 0, 0, 0)
        painter.drawText(inside, Qt.AlignmentFlag.AlignCenter, text)
        if not self.icon().isNull():
            size = self._theme.px(_ICON)
            self.icon().paint(painter, QRect(7, (self.height() - size) // 2, size, size))
        if self.tag.jump is not None:
            self._underline(painter, metrics.horizontalAdvance(text))
        painter.end()

    def _underline(self, painter: QPainter, width: int) -> None:
        """Paint a dotted line below the text, as for a link."""
        pen = QPen(painter.pen().color(), 1)
        pen.setStyle(Qt.PenStyle.DotLine)
        painter.setPen(pen)
        left = (self.width() - width) / 2
        bottom = (self.height() + painter.fontMetrics().ascent()) / 2 + 1
        painter.drawLine(QPointF(left, bottom), QPointF(left + width, bottom))

    def enterEvent(self, event: QEnterEvent) -> None:
        """Emit `hovered` when the mouse enters."""
        super().enterEvent(event)
        self.hovered.emit(True)

    def leaveEvent(self, event: QEvent) -> None:
        """Emit `hovered` when the mouse leaves."""
        super().leaveEvent(event)
        self.hovered.emit(False)
