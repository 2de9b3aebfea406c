"""The library with a filter field above it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from gradviz.viewer.library.panel import LibraryPanel
from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel

MOST_CHARACTERS = 100


class LibrarySearch(QWidget):
    """Filters a `LibraryPanel` as the user types.

    Args:
        theme: Colors and fonts.
        library: The panel to filter.
    """

    def __init__(self, theme: Theme, library: LibraryPanel) -> None:
        super().__init__()
        self._library = library
        self.field = QLineEdit()
        self.field.setObjectName("library-search")
        self.field.setMaxLength(MOST_CHARACTERS)
        self.field.setClearButtonEnabled(True)
        self.field.setPlaceholderText(self.tr("Filter the library"))
        self.field.setAccessibleName(self.tr("Filter the library"))
        tip = self.tr(
            "Show only entries that contain every word (Enter: run the first one, Esc: clear)"
        )
        self.field.setToolTip(tip)
        self._sign = QAction(self)
        self.field.addAction(self._sign, QLineEdit.ActionPosition.LeadingPosition)
        self._nothing = PlainLabel(self.tr("No entry in the library matches."), muted=True)
        self._nothing.setContentsMargins(12, 8, 12, 8)
        self._nothing.hide()
        line = lay_out(QVBoxLayout(), self.field, margins=(10, 0, 10, 0))
        lay_out(QVBoxLayout(self), line, self._nothing, (library, 1), margins=(0, 6, 0, 0), gap=4)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(self.palette().ColorRole.Base)
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._on_field_text_changed)
        library.hidden_marked.connect(self.field.clear)
        set_theme_font(self.field, theme, UI_PIXELS)
        set_theme_icon(self._sign, theme, "search", "text_muted")

    @property
    def status_text(self) -> str:
        """The message that nothing matches; empty if something does."""
        return "" if self._nothing.isHidden() else self._nothing.text()

    def _go_to_list(self) -> None:
        first = self._library.first_shown()
        if first is None:
            return
        if self._library.shown_entry() is None:
            self._library.go_to(first.key)
        self._library.setFocus(Qt.FocusReason.TabFocusReason)

    def _run_first(self) -> None:
        entry = self._library.first_shown() if self.field.text().strip() else None
        entry = entry or self._library.shown_entry()
        if entry is not None:
            self._library.pick(entry)

    def _on_field_text_changed(self, text: str) -> None:
        found = self._library.filter_entries(text)
        self._nothing.setVisible(found == 0)
        count = self.tr("%Ln entry(s)", "", found)
        self.field.setAccessibleDescription(self.status_text or (count if text else ""))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle Down (go to the list), Enter (run the first match) and Escape (clear)."""
        if watched is not self.field or not isinstance(event, QKeyEvent):
            return False
        if event.type() != QEvent.Type.KeyPress:
            return False
        match event.key():
            case Qt.Key.Key_Down:
                self._go_to_list()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._run_first()
            case Qt.Key.Key_Escape if self.field.text():
                self.field.clear()
            case _:
                return False
        return True
