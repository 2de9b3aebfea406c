"""Colors and fonts of the window: light, dark, or following the system."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QHeaderView,
    QMainWindow,
    QSplitterHandle,
    QTabBar,
    QWidget,
)

from gradviz.drawing.appearance.palette import PaletteRole, color
from gradviz.resource import resource_path

ThemeChoice = Literal["light", "dark", "system"]
Name = Literal["light", "dark"]

UI_PIXELS = 13
"""Font size of ordinary text, in device-independent pixels."""

SMALL_PIXELS = 12
"""Font size of captions and of numbers in cells."""

TITLE_PIXELS = 17
"""Font size of a panel's title."""

_STYLED = "gradviz has set the style"

_PARTLY_STYLED = (QHeaderView, QMainWindow, QSplitterHandle, QTabBar)
"""Widgets that Qt does not mark as styled if all rules are for parts of them, such as one tab."""


@dataclass(slots=True, kw_only=True)
class Theme:
    """Colors, fonts and scale of a window, which change in place; compared by value.

    Attributes:
        name: Column of the palette.
        scale: Factor for font sizes, and for lengths that grow with them.
    """

    name: Name
    scale: float = 1.0

    def become(self, other: Theme) -> None:
        """Take over another theme's colors and scale.

        Raises:
            TypeError: If this is `LIGHT` or `DARK`.
        """
        if self is LIGHT or self is DARK:
            raise TypeError("LIGHT and DARK never change")
        self.name, self.scale = other.name, other.scale

    def live(self) -> Theme:
        """This theme, or a copy if this is `LIGHT` or `DARK`."""
        return Theme(name=self.name, scale=self.scale) if self is LIGHT or self is DARK else self

    @property
    def dark(self) -> bool:
        """Whether the background is dark and the text is light."""
        return self.name == "dark"

    def color(self, role: PaletteRole) -> QColor:
        """The color of a role, as a copy that may be changed."""
        return QColor(color(role, self.name))

    def px(self, pixels: float) -> int:
        """Scale a length with the font size; in whole device-independent pixels."""
        return round(pixels * self.scale)

    def font(self, pixels: int = UI_PIXELS, *, bold: bool = False, mono: bool = False) -> QFont:
        """Return a font of the window.

        Args:
            pixels: Font size in device-independent pixels at scale 1.
            bold: Whether it is semi-bold.
            mono: Whether it is a fixed-width font.

        Returns:
            The font, as a copy that may be changed.
        """
        family = mono_family() if mono else ui_family()
        weight = QFont.Weight.DemiBold if bold else QFont.Weight.Normal
        return QFont(cached_font(family, max(1, self.px(pixels)), weight))


@cache
def cached_font(family: str, pixels: int, weight: int) -> QFont:
    """Return a font whose text scales evenly and whose digits are all equally wide.

    Painters take what a font leaves open from the application's font, font metrics do not. Text
    is only as wide as measured if its font sets all that the application's font sets.

    Args:
        family: Name of the font family.
        pixels: Font size in device-independent pixels.
        weight: As in Qt, such as 400.

    Returns:
        The font, which must not be changed.
    """
    font = QFont(family)
    font.setPixelSize(pixels)
    font.setWeight(QFont.Weight(weight))
    # Hinting changes the width of text with the zoom level; unhinted text scales evenly.
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    # So that numbers do not move from step to step.
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


LIGHT = Theme(name="light")
DARK = Theme(name="dark")

APP_THEME = Theme(name="light")
"""The theme of the application, from which that of a window may differ."""


def chosen_theme(choice: ThemeChoice, app: QApplication, scale: float = 1.0) -> Theme:
    """The theme for the user's choice; ``system`` is light if the platform has no setting."""
    if choice != "system":
        return Theme(name=choice, scale=scale)
    dark = app.styleHints().colorScheme() == Qt.ColorScheme.Dark
    return Theme(name="dark" if dark else "light", scale=scale)


def apply_theme(app: QApplication, theme: Theme) -> None:
    """Apply the style, colors and font of a theme to all widgets of the application.

    Style sheets take their colors from its palette, by `sheet_color`. They are set on windows: with
    one on the application, Qt styles a panel again each time that a part of it gets a new parent.
    """
    # Only once: setting it again has crashed.
    if not app.property(_STYLED):
        app.setStyle("Fusion")
        app.setProperty(_STYLED, True)
    app.setPalette(palette_of(theme))
    # The stub expects bytes for the name, but the binding accepts only a str.
    set_palette: Callable[[QPalette, str], None] = cast("Any", app.setPalette)
    for name in _FRAMED:
        set_palette(_framed_palette(theme), name)
    app.setFont(theme.font())
    _renew_sheet_colors(app)


def _renew_sheet_colors(app: QApplication) -> None:
    """Pass a changed palette on to the widgets below a style sheet, which Qt leaves out.

    Setting the sheets again would do it too, but also compute fonts, sizes and layouts again.
    """
    for widget in app.allWidgets():
        has_rules = widget.testAttribute(Qt.WidgetAttribute.WA_StyleSheetTarget)
        if has_rules or isinstance(widget, _PARTLY_STYLED):
            # Only polishing reads the colors of rules from the palette.
            widget.style().polish(widget)
        elif widget.testAttribute(Qt.WidgetAttribute.WA_StyleSheet):
            # The widget keeps the colors of its own, and gets the others from the palette.
            widget.setPalette(widget.palette())


def sheet_color(role: PaletteRole) -> str:
    """The color of a role in a style sheet, whatever the theme.

    Raises:
        KeyError: If the role has no color in Qt's palette.
    """
    return f"palette({SHEET_COLORS[role]})"


def set_style_sheet(widget: QWidget, sheet: str) -> None:
    """Set a style sheet, unless the widget has it already, since that takes Qt long."""
    if widget.styleSheet() != sheet:
        widget.setStyleSheet(sheet)


_LATIN, _CHINESE = ("Inter", "Hack"), "Noto Sans SC Subset"


@cache
def load_fonts() -> tuple[str, ...]:
    """Register the bundled fonts with Qt; return the names of their families."""
    try:
        folder = resource_path("fonts")
    except FileNotFoundError:
        return ()
    families: list[str] = []
    for path in sorted(folder.rglob("*.[ot]tf")):
        number = QFontDatabase.addApplicationFont(str(path))
        families += QFontDatabase.applicationFontFamilies(number) if number >= 0 else []
    for each in _LATIN:
        # Before the system's fonts, which may be Japanese ones or have no Chinese character at all.
        QFont.insertSubstitution(each, _CHINESE)
    return tuple(dict.fromkeys(families))


@cache
def ui_family() -> str:
    """Font family of ordinary text: the bundled one, else the system's."""
    general = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    return "Inter" if "Inter" in load_fonts() else general.family()


@cache
def mono_family() -> str:
    """Font family of source code and console output: the bundled one, else the system's."""
    fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    return "Hack" if "Hack" in load_fonts() else fixed.family()


_PALETTE_ROLES: tuple[tuple[QPalette.ColorRole, PaletteRole], ...] = (
    (QPalette.ColorRole.Window, "window"),
    (QPalette.ColorRole.WindowText, "text"),
    (QPalette.ColorRole.Base, "panel"),
    (QPalette.ColorRole.AlternateBase, "raised"),
    (QPalette.ColorRole.Text, "text"),
    (QPalette.ColorRole.PlaceholderText, "text_muted"),
    (QPalette.ColorRole.Button, "raised"),
    (QPalette.ColorRole.ButtonText, "text"),
    (QPalette.ColorRole.BrightText, "error"),
    (QPalette.ColorRole.ToolTipBase, "panel"),
    (QPalette.ColorRole.ToolTipText, "text"),
    (QPalette.ColorRole.Highlight, "selection"),
    (QPalette.ColorRole.HighlightedText, "selection_text"),
    (QPalette.ColorRole.Accent, "accent"),
    (QPalette.ColorRole.Link, "accent"),
    (QPalette.ColorRole.LinkVisited, "accent_hover"),
    (QPalette.ColorRole.Light, "panel"),
    (QPalette.ColorRole.Midlight, "accent_soft"),
    (QPalette.ColorRole.Mid, "border"),
    (QPalette.ColorRole.Dark, "border_strong"),
    (QPalette.ColorRole.Shadow, "accent_text"),
)

SHEET_COLORS: Mapping[PaletteRole, str] = {
    "panel": "base",
    "raised": "alternate-base",
    "border": "mid",
    "border_strong": "dark",
    "text": "text",
    "text_muted": "placeholder-text",
    "accent": "accent",
    "accent_hover": "link-visited",
    "accent_text": "shadow",
    "accent_soft": "midlight",
    "selection": "highlight",
    "selection_text": "highlighted-text",
    "focus": "accent",
    "error": "bright-text",
}
"""The palette's colors under the names that Qt's style sheets have for them."""

_FRAMED = (
    "QAbstractSpinBox",
    "QCheckBox",
    "QComboBox",
    "QLineEdit",
    "QPushButton",
    "QRadioButton",
    "QSlider",
)
_LIGHTENED = {"light": 120, "dark": 140}
"""Percent to lighten frame colors by: Fusion darkens them, and draws those of boxes thin."""

_DISABLED_TEXT = (
    QPalette.ColorRole.WindowText,
    QPalette.ColorRole.Text,
    QPalette.ColorRole.ButtonText,
)


def palette_of(theme: Theme) -> QPalette:
    """Return Qt's palette for a theme."""
    palette = QPalette()
    for qt_role, role in _PALETTE_ROLES:
        palette.setColor(qt_role, theme.color(role))
    for qt_role in _DISABLED_TEXT:
        palette.setColor(QPalette.ColorGroup.Disabled, qt_role, theme.color("border_strong"))
    return palette


def _framed_palette(theme: Theme) -> QPalette:
    """A palette with visible frames, for which Fusion darkens the window color."""
    palette, lightened = palette_of(theme), _LIGHTENED[theme.name]
    palette.setColor(QPalette.ColorRole.Window, theme.color("border_strong").lighter(lightened))
    return palette
