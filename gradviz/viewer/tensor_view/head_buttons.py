"""The two small buttons after a tensor's name: Enlarge, and a menu."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QToolButton, QWidget

from gradviz.viewer.look.icons import icon
from gradviz.viewer.look.theme import Theme

_SIDE = 20
_ICON = 14


class HeadButtons(QWidget):
    """Enlarge and menu buttons; from the heatmap, the keyboard does the same.

    Signals:
        open_requested: The large view was requested.
        menu_requested: Global position at which the menu is to open.
    """

    open_requested = Signal()
    menu_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._open = self._button(self.tr("Enlarge"), self.tr("Enlarge (Enter)"))
        self._more = self._button(
            self.tr("Copy and more"), self.tr("Copy as Python, CSV or LaTeX, save (menu key)")
        )
        self._open.clicked.connect(self.open_requested)
        self._more.clicked.connect(self._on_more_clicked)
        self.set_theme(theme)

    @property
    def open_button(self) -> QToolButton:
        """The button that opens the large view."""
        return self._open

    @property
    def more_button(self) -> QToolButton:
        """The button that opens the menu."""
        return self._more

    def set_openable(self, openable: bool) -> None:
        """Show the buttons only if there is a tensor to open."""
        self._open.setVisible(openable)
        self._more.setVisible(openable)

    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme."""
        self._theme = theme
        side = theme.px(_SIDE)
        for place, (button, name) in enumerate(((self._open, "enlarge"), (self._more, "more"))):
            button.setIcon(icon(name, theme, "text_muted"))
            button.setIconSize(QSize(theme.px(_ICON), theme.px(_ICON)))
            button.setGeometry(place * side, 0, side, side)

    def sizeHint(self) -> QSize:
        """Size of two square buttons side by side."""
        side = self._theme.px(_SIDE)
        return QSize(2 * side, side)

    def _button(self, name: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setAutoRaise(True)
        # The heatmap is the tensor's only tab stop.
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setAccessibleName(name)
        button.setToolTip(tip)
        return button

    @Slot()
    def _on_more_clicked(self) -> None:
        self.menu_requested.emit(self._more.mapToGlobal(QPoint(0, self._more.height())))
