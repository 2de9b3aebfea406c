"""The two small buttons at the end of a tensor's name: see it large, and everything else."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QToolButton, QWidget

from gradviz.viewer.look.icons import icon
from gradviz.viewer.look.theme import Theme

_SIDE = 20
_ICON = 14


class HeadButtons(QWidget):
    """Enlarge, and a menu. The keyboard reaches both from the heatmap: Enter, and the menu key.

    Signals:
        open_requested: It is to be seen large.
        menu_requested: A place on the screen where the menu is to open.
    """

    open_requested = Signal()
    menu_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._open = self._button(self.tr("See it large"), self.tr("Sees it large (Enter)"))
        self._more = self._button(
            self.tr("Copy and more"), self.tr("Copy as Python, CSV or LaTeX, save (menu key)")
        )
        self._open.clicked.connect(self.open_requested)
        self._more.clicked.connect(self._on_more_clicked)
        self.set_theme(theme)

    @property
    def open_button(self) -> QToolButton:
        """Opens it large."""
        return self._open

    @property
    def more_button(self) -> QToolButton:
        """Opens the menu."""
        return self._more

    def set_openable(self, openable: bool) -> None:
        """Shows the buttons only where there is a tensor."""
        self._open.setVisible(openable)
        self._more.setVisible(openable)

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        self._theme = theme
        side = theme.px(_SIDE)
        for place, (button, name) in enumerate(((self._open, "enlarge"), (self._more, "more"))):
            button.setIcon(icon(name, theme, "text_muted"))
            button.setIconSize(QSize(theme.px(_ICON), theme.px(_ICON)))
            button.setGeometry(place * side, 0, side, side)

    def sizeHint(self) -> QSize:
        """Room for two squares."""
        side = self._theme.px(_SIDE)
        return QSize(2 * side, side)

    def _button(self, name: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setAutoRaise(True)
        # The heatmap is the tensor's one stop for the Tab key.
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setAccessibleName(name)
        button.setToolTip(tip)
        return button

    @Slot()
    def _on_more_clicked(self) -> None:
        self.menu_requested.emit(self._more.mapToGlobal(QPoint(0, self._more.height())))
