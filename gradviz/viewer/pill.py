"""A small rounded sign with a word or two: a role, a count, the mark of a storage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from gradviz.model.palette import Role
from gradviz.viewer.plain_text import plain_tooltip
from gradviz.viewer.theme import Theme

Tone = Literal[
    "plain", "accent", "leaf", "saved", "output", "forward", "backward", "ok", "warning", "error"
]

_ROLES: dict[Tone, tuple[Role, Role, Role]] = {
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
"""Ground, border and text of each tone."""

_PIXELS = 11


@dataclass(frozen=True, slots=True)
class Tag:
    """What a pill says.

    Attributes:
        text: One or two words.
        tone: Its meaning as a colour.
        tip: A sentence for the tooltip and the screen reader; may be empty.
    """

    text: str
    tone: Tone = "plain"
    tip: str = ""


class Pill(QAbstractButton):
    """Shows a `Tag`; one with ``pressable`` can be clicked and reached by Tab."""

    def __init__(
        self, tag: Tag, theme: Theme, *, pressable: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._tone: Tone = tag.tone
        self._theme = theme
        self._pressable = pressable
        self.setFont(theme.font(_PIXELS, bold=True))
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        if pressable:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        policy = Qt.FocusPolicy.StrongFocus if pressable else Qt.FocusPolicy.NoFocus
        self.setFocusPolicy(policy)
        # An ampersand in a button's text would underline the next letter.
        self.setText(tag.text)
        self.setToolTip(plain_tooltip(tag.tip))
        self.setAccessibleName(tag.text)
        self.setAccessibleDescription(tag.tip)

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        self._theme = theme
        self.setFont(theme.font(_PIXELS, bold=True))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """The size it likes to have."""
        metrics = QFontMetrics(self.font())
        return QSize(metrics.horizontalAdvance(self.text()) + 14, metrics.height() + 4)

    def minimumSizeHint(self) -> QSize:
        """The size below which it is of no use."""
        return QSize(20, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints everything."""
        ground, border, ink = _ROLES[self._tone]
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        edge = "focus" if self.hasFocus() else border
        painter.setPen(QPen(self._theme.colour(edge), 2 if self.hasFocus() else 1))
        painter.setBrush(self._theme.colour(ground))
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        painter.setPen(self._theme.colour(ink))
        metrics = QFontMetrics(self.font())
        width = self.width() - 12
        text = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, width)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, text)
        painter.end()
