"""The command palette: type part of a command's name and press Enter to run it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QVBoxLayout, QWidget

from gradviz.document.document import Field, Row, document_of
from gradviz.viewer.commands.command_list import PaletteCommand
from gradviz.viewer.local_keys import PALETTE_KEYS, keys_of, pressed
from gradviz.viewer.rows.rows_view import RowsView
from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel
from gradviz.viewer.widgets.screen_reader import announce

WHOLE, START, WORD, INITIALS, WITHIN, LETTERS = 120, 100, 80, 70, 50, 20


def fuzzy_score(query: str, text: str) -> int:
    """Return a score that is higher for a better match, or 0 unless every word matches.

    A word matches as the start of a word, as initials (``fn`` for Find Next), as any substring, or
    as letters in that order from the start of some word.
    """
    lower = text.lower()
    scores = [_fit(word, lower) for word in query.lower().split()]
    return min(scores) + sum(scores) if scores and all(scores) else 0


def _fit(word: str, text: str) -> int:
    words = text.split()
    if word == text:
        return WHOLE
    if text.startswith(word):
        return START
    if any(each.startswith(word) for each in words):
        return WORD
    if word in "".join(each[0] for each in words):
        return INITIALS
    if word in text:
        return WITHIN
    tails = (" ".join(words[at:]) for at in range(len(words)))
    return LETTERS if any(tail[0] == word[0] and _in_order(word, tail) for tail in tails) else 0


def _in_order(letters: str, text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)


_WIDTH, _MOST_ROWS, _EDGE = 620, 10, 12
_RECENT_BONUS = 10


class Palette(QFrame):
    """A popup at the top of the window that returns the focus when it closes.

    Signals:
        chosen: The chosen `PaletteCommand`; the palette has already closed.
    """

    chosen = Signal(object)

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._theme = theme
        self._commands: tuple[PaletteCommand, ...] = ()
        self._recent: tuple[str, ...] = ()
        self._shown: list[PaletteCommand] = []
        self._before: QWidget | None = None
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("Command palette"))
        self.field = _Field()
        self.field.setObjectName("palette")
        self.field.setPlaceholderText(self.tr("Type a command…"))
        self.field.setAccessibleName(self.tr("Command"))
        keys = ", ".join(keys_of(PALETTE_KEYS, "run"))
        self.field.setToolTip(self.tr("Part of a command's name; {0} runs it").format(keys))
        self.list = RowsView(theme)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setAccessibleName(self.tr("Commands"))
        self._none = PlainLabel(self.tr("No matching commands."), muted=True)
        self._none.setContentsMargins(_EDGE, 8, _EDGE, _EDGE)
        above = lay_out(QVBoxLayout(), self.field, margins=8)
        lay_out(QVBoxLayout(self), above, (self.list, 1), self._none, margins=1, gap=0)
        self.field.textChanged.connect(self._list)
        self.field.command_pressed.connect(self._on_field_command_pressed)
        self.field.left.connect(self._on_field_left)
        self.list.chosen.connect(self._choose)
        set_theme_font(self.field, theme, UI_PIXELS + 1)
        self.hide()

    @property
    def shown(self) -> tuple[PaletteCommand, ...]:
        """The commands listed now."""
        return tuple(self._shown)

    def open(self, commands: Iterable[PaletteCommand], recent: Sequence[str]) -> None:
        """List the commands, recent ones first, and take the focus."""
        if self.isVisible():
            return
        self._commands, self._recent = tuple(commands), tuple(recent)
        self._before = QApplication.focusWidget()
        self.field.clear()
        self._list("")
        self.show()
        self.raise_()
        # The focus may be in a floating panel's window.
        self.window().activateWindow()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def leave(self) -> None:
        """Close the palette and return the focus."""
        if self.isHidden():
            return
        before, self._before = self._before, None
        self.hide()
        if before is not None and before.isVisible():
            before.window().activateWindow()
            before.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def place(self) -> None:
        """Place the palette at the top center of the window."""
        window = self._window
        width = min(self._theme.px(_WIDTH), window.width() - 2 * _EDGE)
        rows = self.list.height_of(min(len(self._shown), _MOST_ROWS)) if self._shown else 0
        words = 0 if self._shown else self._none.heightForWidth(width) + 2 * _EDGE
        head = self.field.sizeHint().height() + 18
        top = window.height() // 12
        self.setGeometry(
            (window.width() - width) // 2,
            top,
            width,
            min(head + rows + words, window.height() - top),
        )

    def _list(self, query: str) -> None:
        rank = {name: at for at, name in enumerate(self._recent)}
        scores = {command.id: _score(command, query, rank) for command in self._commands}
        found = [command for command in self._commands if scores[command.id]]
        # The sort is stable: equal scores keep the menu order.
        found.sort(key=lambda command: -scores[command.id])
        self._shown = found
        self.list.show_document(document_of(("",), list(map(_row_of, found))))
        self.list.setVisible(bool(found))
        self._none.setVisible(not found)
        self.place()
        self._go_to(0 if found else -1)

    def _go_to(self, row: int) -> None:
        self.list.go_to(row)
        announcement = _row_of(self._shown[row]).sentence if row >= 0 else self._none.text()
        self.field.setAccessibleDescription(announcement)
        announce(self.field, announcement)

    def _choose(self, row: int) -> None:
        if 0 <= row < len(self._shown) and self._shown[row].usable:
            command = self._shown[row]
            self.leave()
            self.chosen.emit(command)

    def _on_field_command_pressed(self, command: str) -> None:
        count = len(self._shown)
        match command:
            case "run":
                self._choose(self.list.currentIndex().row())
            case "next" if count:
                self._go_to((self.list.currentIndex().row() + 1) % count)
            case "previous" if count:
                self._go_to((self.list.currentIndex().row() - 1) % count)
            case "leave":
                self.leave()

    def _on_field_left(self) -> None:
        # The focus has already moved elsewhere.
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the background and a border."""
        painter = QPainter(self)
        painter.setPen(QPen(self._theme.color("border_strong"), 1))
        painter.setBrush(self._theme.color("panel"))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()


class _Field(QLineEdit):
    """Emits the keys that navigate the list, and the loss of focus."""

    command_pressed = Signal(str)
    left = Signal()

    def event(self, event: QEvent) -> bool:
        # Otherwise Esc would leave a lesson, or Presenter Mode.
        ours = isinstance(event, QKeyEvent) and pressed(PALETTE_KEYS, event) != ""
        if event.type() == QEvent.Type.ShortcutOverride and ours:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        command = pressed(PALETTE_KEYS, event)
        if command:
            self.command_pressed.emit(command)
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        reasons = Qt.FocusReason
        if event.reason() not in (reasons.PopupFocusReason, reasons.ActiveWindowFocusReason):
            self.left.emit()


def _score(command: PaletteCommand, query: str, rank: dict[str, int]) -> int:
    last = len(rank) - rank[command.id] if command.id in rank else 0
    if not query.strip():
        return 1 + last
    score = 2 * fuzzy_score(query, command.title) or fuzzy_score(
        query, f"{command.title} {command.path}"
    )
    return score + (_RECENT_BONUS if last else 0) if score else 0


def _row_of(command: PaletteCommand) -> Row:
    parts = (command.path, command.state, command.why_not)
    title = Field(text=command.title, tone="plain" if command.usable else "muted")
    keys = Field(text=", ".join(command.keys))
    return Row(fields=(title, keys), note=" · ".join(part for part in parts if part))
