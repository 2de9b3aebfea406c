"""A row of links from the whole to a part, such as where the current step is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme, set_style_sheet, sheet_color
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import plain_tooltip

WIDEST = 190
"""Maximum width of a name in pixels at scale 1; longer names are elided in the middle."""


@dataclass(frozen=True, slots=True)
class Crumb:
    """One link.

    Attributes:
        text: Its name.
        tip: What a click does, as a sentence.
        go: Does it.
        tone: ``here`` is where one is, ``next`` is one level deeper.
    """

    text: str
    tip: str
    go: Callable[[], object]
    tone: Literal["plain", "here", "next"] = "plain"


class CrumbRow(QWidget):
    """Links, outermost first; those that do not fit are left out from the second on.

    Args:
        theme: Colors and fonts.
        pixels: Font size, before the theme's scale factor.
        parent: The parent widget.
    """

    def __init__(
        self, theme: Theme, pixels: int = SMALL_PIXELS, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pixels = pixels
        self._crumbs: tuple[Crumb, ...] = ()
        self.buttons: list[QToolButton] = []
        self._signs: list[QLabel] = []
        self._row = lay_out(QHBoxLayout(self), 1, margins=(8, 2, 8, 2), gap=0)
        # Long names must not widen the window; `_elide` hides what does not fit.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._style()

    def update_theme(self) -> None:
        """Repaint in another theme."""
        self._style()
        self.show_crumbs(self._crumbs)

    def _style(self) -> None:
        here, next_, soft = (sheet_color(each) for each in ("accent", "text_muted", "accent_soft"))
        size = f"border: none; padding: {self._theme.px(3)}px {self._theme.px(8)}px;"
        round_ = f"border-radius: {self._theme.px(8)}px;"
        set_style_sheet(
            self,
            f'QToolButton[tone="here"] {{ {size} {round_} background: {soft}; color: {here}; }}'
            f'QToolButton[tone="next"] {{ {size} color: {next_}; }}'
            f'QToolButton[tone="next"]:hover {{ color: {here}; }}',
        )
        for widget in (*self.buttons, *self._signs):
            widget.setFont(self._theme.font(self._pixels))

    def show_crumbs(self, crumbs: Sequence[Crumb]) -> list[QToolButton]:
        """Replace the links; buttons are reused, as creating them is slow.

        Returns:
            The buttons that were made.
        """
        focused = any(button.hasFocus() for button in self.buttons)
        self._crumbs = tuple(crumbs)
        before = len(self.buttons)
        for at, crumb in enumerate(crumbs):
            if at == len(self.buttons):
                self._add()
            self._show(self.buttons[at], crumb)
        self._remove_from(len(crumbs))
        self._elide()
        if focused and self.buttons:
            # The button that had the focus may be gone or lead elsewhere.
            self.buttons[-1].setFocus()
        return self.buttons[before:]

    def _show(self, button: QToolButton, crumb: Crumb) -> None:
        space = self._theme.px(WIDEST)
        short = button.fontMetrics().elidedText(crumb.text, Qt.TextElideMode.ElideMiddle, space)
        # Qt takes a single & for the mark of a mnemonic.
        text = short.replace("&", "&&")
        if text != button.text():
            button.setText(text)
        if crumb.tip != button.accessibleName():
            button.setAccessibleName(crumb.tip)
            button.setToolTip(plain_tooltip(crumb.tip))
        if crumb.tone != (button.property("tone") or "plain"):
            button.setProperty("tone", crumb.tone)
            button.style().unpolish(button)
            button.style().polish(button)

    def _add(self) -> None:
        at = len(self.buttons)
        if at:
            sign = QLabel("\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}")
            sign.setFont(self._theme.font(self._pixels))
            sign.setForegroundRole(QPalette.ColorRole.PlaceholderText)
            self._signs.append(sign)
            self._insert(sign)
        button = QToolButton()
        button.setFont(self._theme.font(self._pixels))
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # `clicked` passes its checked state.
        button.clicked.connect(lambda _=False: self._crumbs[at].go())
        self.buttons.append(button)
        self._insert(button)

    def _insert(self, widget: QWidget) -> None:
        """Insert a widget before the stretch at the end."""
        self._row.insertWidget(self._row.count() - 1, widget)

    def _remove_from(self, count: int) -> None:
        """Remove the buttons after the first ``count``, with the signs before them."""
        signs = max(0, count - 1)
        for widget in (*self.buttons[count:], *self._signs[signs:]):
            self._row.removeWidget(widget)
            # `deleteLater` waits for the event loop; until then it would still be painted.
            widget.hide()
            widget.deleteLater()
        del self.buttons[count:], self._signs[signs:]

    def _elide(self) -> None:
        """Hide names from the left, except the first, until the rest fits."""
        if not self.buttons:
            return
        widths = [button.sizeHint().width() for button in self.buttons]
        gap = max((sign.sizeHint().width() for sign in self._signs), default=0)
        free = self.width() - 16 - sum(widths) - gap * len(self._signs)
        # A layout shows new widgets only in the next turn of the event loop.
        self.buttons[0].show()
        for at in range(1, len(self.buttons)):
            hidden = free < 0 and at < len(self.buttons) - 1
            self.buttons[at].setHidden(hidden)
            self._signs[at - 1].setHidden(hidden)
            if hidden:
                free += widths[at] + gap

    def sizeHint(self) -> QSize:
        """The height of a button."""
        return QSize(100, self._theme.px(self._pixels) + 16)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many names as fit."""
        super().resizeEvent(event)
        self._elide()
