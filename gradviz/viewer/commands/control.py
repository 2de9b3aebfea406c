"""Opens the command palette and the list of keyboard shortcuts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QComboBox, QMainWindow, QWidget

from gradviz.gallery.catalogue import Scene
from gradviz.viewer.actions import Actions
from gradviz.viewer.commands.command import Command, commands_of_menus, scene_commands
from gradviz.viewer.commands.reasons import reasons_of
from gradviz.viewer.commands.recent import RecentCommands
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.state import ViewerState

if TYPE_CHECKING:
    from gradviz.viewer.commands.palette import Palette


class CommandControl(QObject):
    """Connects the commands; create it after the menus, which it reads on each use.

    Args:
        state: Provides the theme.
        actions: The window's commands.
        run_scene: Runs a scene of the gallery.
        window: The window that the palette covers.
        remember: Whether to store the recent commands.
    """

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
        actions.show_commands.triggered.connect(self._on_commands_triggered)
        actions.show_keys.triggered.connect(self._on_keys_triggered)
        state.theme_changed.connect(self._on_state_theme_changed)
        window.installEventFilter(self)

    @property
    def palette(self) -> Palette:
        """The command palette, created on first use."""
        if self._palette is None:
            from gradviz.viewer.commands.palette import Palette

            self._palette = Palette(self._state.theme, self._window)
            self._palette.chosen.connect(self._on_palette_chosen)
        return self._palette

    @Slot()
    def _on_commands_triggered(self) -> None:
        reasons = reasons_of(self._actions)
        commands = commands_of_menus(self._window.menuBar(), reasons)
        self.palette.open([*commands, *scene_commands(self._run_scene)], self._recent.ids)

    @Slot(object)
    def _on_palette_chosen(self, command: Command) -> None:
        self._recent.note(command.id)
        command.run()

    @Slot()
    def _on_keys_triggered(self) -> None:
        from gradviz.viewer.commands.key_groups import key_groups
        from gradviz.viewer.commands.key_sheet import KeySheet

        groups = key_groups(self._window.menuBar())
        KeySheet(groups, self._state.theme, self._window).open()

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        if self._palette is not None:
            self._palette.set_theme(theme)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep letters from triggering shortcuts, and keep the palette in place on resize."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            # The event reaches the window only if no field took it; now a shortcut would win.
            if is_letter(event) and takes_letters(QApplication.focusWidget()):
                event.accept()
                return True
        elif event.type() == QEvent.Type.Resize and self._palette is not None:
            self._palette.place()
        return False


def is_letter(event: QKeyEvent) -> bool:
    """Return whether a key event types a character."""
    modifiers = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    return event.text().isprintable() and event.text() != "" and not event.modifiers() & modifiers


def takes_letters(widget: QWidget | None) -> bool:
    """Return whether typing has an effect in a widget other than a text field.

    A closed combo box searches its items, and a table starts to edit the cell.
    """
    if isinstance(widget, QAbstractItemView):
        return bool(widget.editTriggers() & QAbstractItemView.EditTrigger.AnyKeyPressed)
    return isinstance(widget, QComboBox)
