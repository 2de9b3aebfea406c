"""Search field with the number of matches inside."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAction, QFocusEvent, QKeyEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from gradviz.viewer.keys import pressed
from gradviz.viewer.look.icons import icon
from gradviz.viewer.look.theme import SMALL_PIXELS, UI_PIXELS, Theme

_WIDTH, _MOST = 280, 300
_WIDEST = 360
"""Maximum width in pixels at any text size, as the title of the run needs space too."""


class FindField(QLineEdit):
    """Text field of the search; emits the keys that move between matches.

    Signals:
        command_pressed: A command of the place ``find`` in `gradviz.viewer.keys`.
        focused: Whether the field has the focus now.
    """

    command_pressed = Signal(str)
    focused = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("find")
        self._theme = theme
        self._icon = QAction(self)
        self.addAction(self._icon, QLineEdit.ActionPosition.LeadingPosition)
        self._count = QLabel(self)
        self._count.setTextFormat(Qt.TextFormat.PlainText)
        self._count.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.setMaxLength(_MOST)
        self.setPlaceholderText(self.tr("Find a node, tensor, step…"))
        self.setAccessibleName(self.tr("Find"))
        self._icon.setText(self.tr("Find"))
        self._icon.triggered.connect(self.setFocus)
        self.set_theme(theme)

    @property
    def count(self) -> str:
        """The text at the right end."""
        return self._count.text()

    def show_count(self, text: str) -> None:
        """Show the number of matches, and which one is current."""
        self._count.setText(text)
        self._place_count()

    def set_theme(self, theme: Theme) -> None:
        """Apply another theme."""
        self._theme = theme
        self.setFont(theme.font(UI_PIXELS))
        self._count.setFont(theme.font(SMALL_PIXELS))
        self._icon.setIcon(icon("search", theme, "text_muted"))
        self._place_count()
        self.updateGeometry()

    def _place_count(self) -> None:
        self._count.adjustSize()
        width = self._count.width() if self._count.text() else 0
        self._count.move(self.width() - width - 10, (self.height() - self._count.height()) // 2)
        self.setTextMargins(0, 0, width + 8 if width else 0, 0)

    def sizeHint(self) -> QSize:
        """Return a size with enough width for two words and a count."""
        return QSize(min(self._theme.px(_WIDTH), _WIDEST), self._theme.px(32))

    def minimumSizeHint(self) -> QSize:
        """Return a smaller size for narrow windows."""
        return QSize(self._theme.px(150), self._theme.px(32))

    def event(self, event: QEvent) -> bool:
        """Claim Escape, Enter and the arrow keys before the window's shortcuts get them."""
        ours = isinstance(event, QKeyEvent) and pressed("find", event) != ""
        if event.type() == QEvent.Type.ShortcutOverride and ours:
            event.accept()
            return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Announce that the field has the focus."""
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Announce that the focus has left, unless a popup menu took it."""
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.focused.emit(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit the search commands; other keys edit the text."""
        command = pressed("find", event)
        if command:
            self.command_pressed.emit(command)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the count at the right end."""
        super().resizeEvent(event)
        self._place_count()
