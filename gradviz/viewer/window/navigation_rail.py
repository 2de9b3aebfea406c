"""The bar at the left edge, with one button for each side panel."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QSizePolicy, QToolBar, QToolButton, QWidget

from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
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
        button.setProperty("picture", picture)
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
        self._paint(button)

    def button(self, name: str) -> QToolButton:
        """Return the button of a panel."""
        return self._buttons[name]

    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme."""
        self._theme = theme
        for button in self._buttons.values():
            self._paint(button)

    def _paint(self, button: QToolButton) -> None:
        theme = self._theme
        button.setFont(theme.font(SMALL_PIXELS))
        button.setIcon(icon(str(button.property("picture")), theme))
        button.setIconSize(QSize(theme.px(_ICON), theme.px(_ICON)))

    @Slot()
    def _on_button_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, QToolButton):
            self.clicked.emit(button.objectName())
