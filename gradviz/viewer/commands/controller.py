"""Opens the command palette and the list of keyboard shortcuts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSettings, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
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
from gradviz.viewer.actions import Actions
from gradviz.viewer.commands.palette_commands import (
    PaletteCommand,
    commands_of_menus,
    scene_commands,
)
from gradviz.viewer.mnemonics import without_mnemonic
from gradviz.viewer.state import ViewerState
from gradviz.viewer.translation import translate

if TYPE_CHECKING:
    from gradviz.viewer.commands.palette import Palette


def disabled_reasons(actions: Actions) -> dict[QAction, str]:
    """Return a reason for each command that can be disabled."""
    nothing = translate("Reasons", "there is no run to show yet")
    not_played = translate("Reasons", "no lesson is played")
    lessons = (actions.next_stop, actions.previous_stop, actions.leave_lesson, actions.speaker_view)
    reasons = dict.fromkeys(lessons, not_played) | _run_reasons(actions, nothing)
    stage = (actions.hide_answers, actions.pen, actions.spotlight, actions.black)
    reasons |= dict.fromkeys(stage, translate("Reasons", "only in Presenter Mode"))
    no_rank = translate("Reasons", "there is no trace of such a rank in the same folder")
    reasons |= dict.fromkeys((actions.next_rank, actions.previous_rank), no_rank)
    embedding = {
        actions.embed_runs: translate("Reasons", "no lesson is played, or all runs are embedded"),
        actions.remove_runs: translate("Reasons", "no run is embedded that can be recorded again"),
    }
    return reasons | embedding | {actions.add_stop: nothing}


def _run_reasons(actions: Actions, nothing: str) -> dict[QAction, str]:
    return {
        actions.save: nothing,
        actions.export_page: nothing,
        actions.export_graph: nothing,
        actions.export_film: nothing,
        actions.export_tensors: nothing,
        actions.run: translate("Reasons", "the inputs are incomplete"),
        actions.run_as_script: translate("Reasons", "only for your own Python files"),
        actions.stop: translate("Reasons", "nothing is running"),
        actions.record_lines: translate("Reasons", "the inputs are incomplete"),
        actions.run_changed: translate("Reasons", "no change is enabled"),
        actions.back_to_original: translate("Reasons", "this is the original run"),
        actions.next_difference: translate("Reasons", "there is no other run, or no differences"),
        actions.mark_differences: translate("Reasons", "there is no other run, or no differences"),
        actions.next_compare_difference: translate(
            "Reasons", "nothing is compared, or no differences"
        ),
        actions.previous_compare_difference: translate(
            "Reasons", "nothing is compared, or no differences"
        ),
        actions.undo: translate("Reasons", "no inputs have been edited"),
        actions.redo: translate("Reasons", "nothing to redo"),
        actions.reset: translate("Reasons", "the inputs have their default values"),
        actions.copy_link: translate(
            "Reasons", "only a saved trace or a scene with its own inputs has a link"
        ),
        actions.edit_here: translate("Reasons", "only for your own files, outside Presenter Mode"),
        actions.edit_source: translate("Reasons", "the source file is not on this machine"),
        actions.next: translate("Reasons", "this is the last step"),
        actions.last: translate("Reasons", "this is the last step"),
        actions.previous: translate("Reasons", "this is the first step"),
        actions.first: translate("Reasons", "this is the first step"),
        actions.play: translate("Reasons", "there are no steps to play"),
        actions.into: translate("Reasons", "nothing finer was recorded, or Quiz Mode hides it"),
        actions.out: translate("Reasons", "this is the outermost level"),
        actions.toggle_breakpoint: translate(
            "Reasons", "no node is selected, and the step has none"
        ),
        actions.clear_breakpoints: translate("Reasons", "there are no breakpoints"),
        actions.run_to_next_breakpoint: translate("Reasons", "no later step hits a breakpoint"),
        actions.run_to_previous_breakpoint: translate(
            "Reasons", "no earlier step hits a breakpoint"
        ),
        actions.run_here: translate("Reasons", "no later step involves the node"),
        actions.open_group: translate("Reasons", "the node is not a closed group"),
        actions.close_group: translate("Reasons", "the node is not in an opened group"),
        actions.fold_all: translate("Reasons", "there are no opened groups"),
        actions.go_made: translate("Reasons", "the step that created the node is unknown"),
        actions.go_executed: translate("Reasons", "no step executes the node"),
        actions.go_sender: translate("Reasons", "no gradient reaches the node"),
        actions.find_origin: translate(
            "Reasons", "there is no run to show yet, or Quiz Mode hides the answer"
        ),
        actions.find_node_origin: translate(
            "Reasons", "no node is selected, and the step has none"
        ),
        actions.show_history: translate("Reasons", "no tensor element is pinned"),
        actions.copy_name: translate("Reasons", "no node is selected"),
    }


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
        refused: Why the command of a key does nothing now, as a sentence.
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

    @Slot()
    def _on_commands_triggered(self) -> None:
        reasons = disabled_reasons(self._actions)
        commands = commands_of_menus(self._window.menuBar(), reasons)
        self.palette.open([*commands, *scene_commands(self._run_scene)], self._recent.ids)

    @Slot(object)
    def _on_palette_chosen(self, command: PaletteCommand) -> None:
        self._recent.note(command.id)
        command.run()

    @Slot()
    def _on_keys_triggered(self) -> None:
        from gradviz.viewer.commands.key_groups import key_groups
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
        for action, reason in disabled_reasons(self._actions).items():
            if not action.isEnabled() and keys in action.shortcuts():
                text = self.tr("{0}: {1}.").format(without_mnemonic(action.text()), reason)
                self.refused.emit(text)

    @Slot(QWidget, QWidget)
    def _on_focus_changed(self, old: QWidget | None, now: QWidget | None) -> None:
        """Watch the keys of what has the focus, as a field would take each character."""
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
