"""The title of a side panel, with buttons to pin and to close it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QToolButton, QWidget

from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_icon
from gradviz.viewer.widgets.elided_label import ElidedLabel


class PanelTitle(QWidget):
    """Replaces the title bar of a dock.

    Attributes:
        pin: Checked while the panel is docked.
        close_button: Closes the panel.
    """

    def __init__(self, dock: QDockWidget, theme: Theme) -> None:
        super().__init__(dock)
        self._text = ElidedLabel(pixels=SMALL_PIXELS, bold=True, muted=True)
        self._text.setText(dock.windowTitle())
        self.pin, self.close_button = QToolButton(), QToolButton()
        self.pin.setCheckable(True)
        self.pin.setAccessibleName(self.tr("Pin {0}").format(dock.windowTitle()))
        self.close_button.setAccessibleName(self.tr("Close {0}").format(dock.windowTitle()))
        self.close_button.setToolTip(self.tr("Close this panel (Esc)"))
        self._row = row = QHBoxLayout(self)
        row.setSpacing(2)
        row.addWidget(self._text, 1)
        for button in (self.pin, self.close_button):
            button.setAutoRaise(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            row.addWidget(button)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.pin.toggled.connect(self._on_pin_toggled)
        self._on_pin_toggled(False)
        self._theme = theme
        set_theme_icon(self.pin, theme, "pin")
        set_theme_icon(self.close_button, theme, "close")
        self.update_theme()

    def update_theme(self) -> None:
        """Repaint with another theme."""
        self._row.setContentsMargins(
            self._theme.px(12), self._theme.px(2), self._theme.px(6), self._theme.px(2)
        )

    @Slot(bool)
    def _on_pin_toggled(self, on: bool) -> None:
        docked, floating = self.tr("Show over the graph only while used"), self.tr("Keep open")
        self.pin.setToolTip(docked if on else floating)
