"""The bar at the left edge, with one button for each side panel."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QSizePolicy, QToolBar, QToolButton, QWidget

from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.plain_text import plain_tooltip

_ICON = 20


class NavigationRail(QToolBar):
    """A fixed vertical toolbar of checkable buttons.

    Signals:
        clicked: Name of the panel whose button was clicked.
    """

    clicked = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._buttons: dict[str, QToolButton] = {}
        self.setObjectName("rail")
        self.setWindowTitle(self.tr("Side Panels"))
        self.setMovable(False)
        self.toggleViewAction().setVisible(False)

    def add(self, name: str, title: str, picture: str) -> None:
        """Add a button.

        Args:
            name: Name of the panel.
            title: The label.
            picture: Name of the icon.
        """
        button = QToolButton()
        button.setObjectName(name)
        button.setText(title)
        button.setCheckable(True)
        button.setAutoRaise(True)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        tip = self.tr("Show or hide the panel {0}").format(title)
        button.setToolTip(plain_tooltip(tip))
        button.clicked.connect(self._on_button_clicked)
        self.addWidget(button)
        self._buttons[name] = button
        set_theme_font(button, self._theme, SMALL_PIXELS)
        set_theme_icon(button, self._theme, picture, side=_ICON)

    def button(self, name: str) -> QToolButton:
        """Return the button of a panel."""
        return self._buttons[name]

    @Slot()
    def _on_button_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, QToolButton):
            self.clicked.emit(button.objectName())
