"""Fonts, icons and sizes that follow the theme.

A `Theme` changes in place, so what reads it while painting is always right. Fonts and icons, which
Qt keeps, are declared once, with `set_theme_font` and `set_theme_icon`. Other things that depend on
the theme are set in a method ``update_theme`` of the widget or object. `update_all_themes` sets all
of them again.
"""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QWidget,
)

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import APP_THEME, UI_PIXELS, Theme

_FONT, _ICON = "theme-font", "theme-icon"


def set_theme_font(
    widget: QWidget,
    theme: Theme,
    pixels: int = UI_PIXELS,
    *,
    bold: bool = False,
    mono: bool = False,
) -> None:
    """Give a widget a font of the theme, now and when it changes; as for `Theme.font`."""
    widget.setProperty(_FONT, (theme, pixels, bold, mono))
    font = theme.font(pixels, bold=bold, mono=mono)
    widget.setFont(font)
    if isinstance(widget, QAbstractSpinBox):
        # Under a style sheet, Qt does not pass another font on to its field.
        widget.lineEdit().setFont(font)


def set_theme_icon(
    button: QAbstractButton | QAction,
    theme: Theme,
    name: str,
    role: PaletteRole = "text",
    *,
    side: int = 0,
) -> None:
    """Give a button or action an icon in the colors of the theme, now and when it changes.

    Args:
        button: The button or action.
        theme: Its theme.
        name: Name of the icon, as for `icon`.
        role: Color of the icon.
        side: Width and height at scale 1; 0 for the usual ones.
    """
    button.setProperty(_ICON, (theme, name, role, side))
    button.setIcon(icon(name, theme, role))
    if side and isinstance(button, QAbstractButton):
        button.setIconSize(QSize(theme.px(side), theme.px(side)))


def theme_of(widget: QWidget) -> Theme:
    """The theme of the nearest widget around it that has one, else the application's."""
    around: QWidget | None = widget
    while around is not None:
        theme = getattr(around, "_theme", None)
        if isinstance(theme, Theme):
            return theme
        around = around.parentWidget()
    return APP_THEME


def update_all_themes(*, resized: bool = True) -> None:
    """Fit everything to its theme, which has changed, and paint it again.

    Args:
        resized: Whether text may have another size, for which layouts are computed again.
    """
    for window in QApplication.topLevelWidgets():
        # A closed plot of pyqtgraph is a window, too.
        if window.parent() is None and getattr(window, "closed", None) is not True:
            # First, since a new style sheet resets colors and fonts of what is inside.
            _update_theme(window, resized)
            update_theme_inside(window, resized=resized)


def update_theme_inside(around: QWidget, *, resized: bool = True) -> None:
    """Fit everything inside a widget to its theme; for the arguments, see `update_all_themes`."""
    # The innermost first, on which the size of those around them often depends.
    for each in reversed(around.findChildren(QObject)):
        if shiboken6.isValid(each):
            _update_theme(each, resized)


def _update_theme(part: QObject, resized: bool) -> None:
    image = part.property(_ICON)
    if image is not None and isinstance(part, QAbstractButton | QAction):
        theme, name, role, side = image
        set_theme_icon(part, theme, name, role, side=side)
    font = part.property(_FONT) if resized else None
    if isinstance(part, QWidget) and font is not None:
        theme, pixels, bold, mono = font
        before = part.font()
        set_theme_font(part, theme, pixels, bold=bold, mono=mono)
        if isinstance(part, QComboBox) and part.font() != before:
            # Qt computes its minimum size again for another style, but not for another font.
            QApplication.sendEvent(part, QEvent(QEvent.Type.StyleChange))
    update_theme = getattr(part, "update_theme", None)
    if update_theme is not None:
        update_theme()
    if resized and isinstance(part, QAbstractItemView):
        part.scheduleDelayedItemsLayout()
    if isinstance(part, QWidget):
        if resized:
            part.updateGeometry()
        part.update()
