"""Opens the command palette and the list of keyboard shortcuts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSettings, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from gradviz.gallery.registry import Scene
from gradviz.viewer.actions import Actions, without_mnemonic
from gradviz.viewer.commands.command_list import (
    PaletteCommand,
    commands_of_menus,
    scene_commands,
)
from gradviz.viewer.state import ViewerState

if TYPE_CHECKING:
    from gradviz.viewer.commands.palette import Palette


_KEY = "commands/recent"
MOST = 8


class RecentCommands:
    """The ids of the most recently used commands.

    Args:
        stored: Whether to load and save them.
    """

    def __init__(self, *, stored: bool = True) -> None:
        self._stored = stored
        value = QSettings().value(_KEY, "") if stored else ""
        self._ids = [each for each in str(value or "").split("\n") if each][:MOST]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids, most recent first."""
        return tuple(self._ids)

    def note(self, command: str) -> None:
        """Move a command to the front and save the list."""
        others = [each for each in self._ids if each != command]
        self._ids = [command, *others][:MOST]
        if self._stored:
            QSettings().setValue(_KEY, "\n".join(self._ids))


class CommandController(QObject):
    """Connects the commands; create it after the menus, which it reads on each use.

    A key whose command cannot do anything says why.

    Args:
        state: Provides the theme.
        actions: The window's commands.
        run_scene: Runs a scene of the gallery.
        window: The window that the palette covers.
        remember: Whether to store the recent commands.

    Signals:
        refused: Why the command of a key does nothing now, as a sentence; empty once that is over.
    """

    refused = Signal(str)

    def __init__(
        self,
        state: ViewerState,
        actions: Actions,
        run_scene: Callable[[Scene], object],
        window: QMainWindow,
        *,
        remember: bool,
    ) -> None:
        super().__init__(window)
        self._state = state
        self._actions = actions
        self._run_scene = run_scene
        self._window = window
        self._recent = RecentCommands(stored=remember)
        self._palette: Palette | None = None
        self._has_refused = False
        state.place_changed.connect(self.end_refusal)
        actions.show_commands.triggered.connect(self._on_commands_triggered)
        actions.show_keys.triggered.connect(self._on_keys_triggered)
        window.installEventFilter(self)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus_changed)

    @property
    def palette(self) -> Palette:
        """The command palette, created on first use."""
        if self._palette is None:
            from gradviz.viewer.commands.palette import Palette

            self._palette = Palette(self._state.theme, self._window)
            self._palette.chosen.connect(self._on_palette_chosen)
        return self._palette

    def _on_commands_triggered(self) -> None:
        commands = commands_of_menus(self._window.menuBar(), self._actions.reasons)
        self.palette.open([*commands, *scene_commands(self._run_scene)], self._recent.ids)

    def _on_palette_chosen(self, command: PaletteCommand) -> None:
        self._recent.note(command.id)
        command.run()

    def _on_keys_triggered(self) -> None:
        from gradviz.viewer.commands.command_list import key_groups
        from gradviz.viewer.commands.key_sheet import KeySheet

        groups = key_groups(self._window.menuBar())
        KeySheet(groups, self._state.theme, self._window).open()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Decide who gets a key, say what one cannot do, and keep the palette in place."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if event.text() == "?":
                # A shortcut wins over what does not accept this event.
                event.setAccepted(takes_question_mark(watched))
                return True
            # The event reaches the window only if no field took it; now a shortcut would win.
            is_last = watched is self._window
            if is_last and is_letter(event) and takes_letters(QApplication.focusWidget()):
                event.accept()
                return True
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if watched is self._window:
                self._tell_why_not(QKeySequence(event.keyCombination()))
        elif event.type() == QEvent.Type.Resize and self._palette is not None:
            self._palette.place()
        return False

    def _tell_why_not(self, keys: QKeySequence) -> None:
        """Say why the command of a key that nothing has taken is disabled, if one is."""
        for action, reason in self._actions.reasons.items():
            if not action.isEnabled() and keys in action.shortcuts():
                text = self.tr("{0}: {1}.").format(without_mnemonic(action.text()), reason)
                self._has_refused = True
                self.refused.emit(text)

    def end_refusal(self) -> None:
        """Withdraw why a command was disabled, which may no longer be true."""
        if self._has_refused:
            self._has_refused = False
            self.refused.emit("")

    def _on_focus_changed(self, old: QWidget | None, now: QWidget | None) -> None:
        """Watch the keys of what has the focus, as a field would take each character."""
        self.end_refusal()
        for each in (old, now):
            if each is not None and each is not self._window:
                each.removeEventFilter(self)
        if now is not None and now.window() is self._window and now is not self._window:
            now.installEventFilter(self)


def is_letter(event: QKeyEvent) -> bool:
    """Return whether a key event types a character."""
    modifiers = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    return event.text().isprintable() and event.text() != "" and not event.modifiers() & modifiers


def takes_question_mark(widget: QObject) -> bool:
    """Return whether "?" is typed in a widget: in text that is there already, but no number."""
    if isinstance(widget, QLineEdit):
        is_number = widget.inputMethodHints() & Qt.InputMethodHint.ImhPreferNumbers
        return bool(widget.text()) and not widget.isReadOnly() and not is_number
    return isinstance(widget, QPlainTextEdit | QTextEdit) and not widget.isReadOnly()


def takes_letters(widget: QWidget | None) -> bool:
    """Return whether typing has an effect in a widget other than a text field.

    A closed combo box searches its items, and a table starts to edit the cell.
    """
    if isinstance(widget, QAbstractItemView):
        return bool(widget.editTriggers() & QAbstractItemView.EditTrigger.AnyKeyPressed)
    return isinstance(widget, QComboBox)
