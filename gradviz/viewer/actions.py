"""All commands of the window, each declared once: text, keys, menu, and why it may be disabled.

Menus, buttons, keys, the command palette and the key sheet follow from these declarations.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from gradviz.viewer.local_keys import Key, with_mac_alternatives
from gradviz.viewer.translation import translate

USUAL_SPEED = 1.0
"""Steps per second of playback at first."""

_KEY = QKeySequence.StandardKey
_MNEMONIC = re.compile(r"\(&\w\)|&(?!&)")


@dataclass(slots=True)
class CommandMenu:
    """A menu of commands.

    Attributes:
        title: Its title, with the mnemonic.
        entries: Commands, menus, names of what the window adds there, and None for separators.
    """

    title: str
    entries: list[QAction | CommandMenu | str | None] = field(default_factory=list)

    def fill(self, menu: QMenu | QMenuBar, others: Mapping[str, Sequence[QAction]]) -> None:
        """Add the entries to a menu.

        Args:
            menu: The menu.
            others: The entries that the window adds, by their names.
        """
        for entry in self.entries:
            if entry is None:
                menu.addSeparator()
            elif isinstance(entry, CommandMenu):
                entry.fill(menu.addMenu(entry.title), others)
            else:
                menu.addActions(others[entry] if isinstance(entry, str) else [entry])


class Actions(QObject):
    """The window's commands; the controller of each one connects to its ``triggered``.

    Attributes:
        menus: The menu bar, without Node.
        node: The menu of a node.
        no_run: Why commands about a run are disabled before the first one.
        reasons: For each command that can be disabled, why it is when it is.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.reasons: dict[QAction, str] = {}
        self.no_run = translate("Reasons", "there is no run to show yet")
        self.menus = self._menu = CommandMenu("")
        for title, declare in (
            (translate("Menus", "&File"), self._declare_file),
            (translate("Menus", "&Edit"), self._declare_edit),
            (translate("Menus", "&View"), self._declare_view),
            (translate("Menus", "&Run"), self._declare_run),
            (translate("Menus", "&Step"), self._declare_step),
            (translate("Menus", "&Lesson"), self._declare_lesson),
            (translate("Menus", "&Help"), self._declare_help),
        ):
            with self._inside(title):
                declare()
        self.node = self._menu = CommandMenu("")
        self._declare_node()

    def _declare_file(self) -> None:
        self.new_window = self._make(self.tr("&New Window"), _KEY.New)
        self.open = self._make(self.tr("&Open…"), _KEY.Open)
        self.open_elsewhere = self._make(self.tr("Open in New &Window…"), "Ctrl+Shift+O")
        self._add("recent", None)
        why = self.no_run
        self.save = self._make(self.tr("&Save Trace As…"), _KEY.SaveAs, "Ctrl+S", why=why)
        self._add(None)
        self.export_page = self._make(self.tr("Export Run as &HTML Page…"), why=why)
        self.export_graph = self._make(self.tr("Export &Graph as SVG, PDF, PNG or DOT…"), why=why)
        self.export_film = self._make(self.tr("Export &Film as MP4 or GIF…"), why=why)
        self.export_tensors = self._make(self.tr("Export T&ensors as NPZ or safetensors…"), why=why)
        self._add(None)
        self.settings = self._make(self.tr("Se&ttings…"), _KEY.Preferences, "Ctrl+,")
        self.settings.setMenuRole(QAction.MenuRole.PreferencesRole)
        self._add(None)
        self.close = self._make(self.tr("&Close Window"), _KEY.Close, "Ctrl+W")
        self.quit = self._make(self.tr("&Quit"), _KEY.Quit, "Ctrl+Q")
        self.quit.setMenuRole(QAction.MenuRole.QuitRole)

    def _declare_edit(self) -> None:
        why = translate("Reasons", "no inputs have been edited")
        self.undo = self._make(self.tr("&Undo"), "Ctrl+Z", why=why)
        # Both common shortcuts work on every platform.
        why = translate("Reasons", "nothing to redo")
        self.redo = self._make(self.tr("&Redo"), "Ctrl+Shift+Z", "Ctrl+Y", why=why)
        self._add(None)
        why = translate("Reasons", "the inputs have their default values")
        self.reset = self._make(self.tr("Rese&t Inputs"), why=why)
        self._add(None)
        self.find = self._make(self.tr("&Find…"), _KEY.Find)
        self.find_next = self._make(self.tr("Find &Next"), "F3", "Ctrl+G")
        self.find_previous = self._make(self.tr("Find &Previous"), "Shift+F3", "Ctrl+Shift+G")
        why = translate("Reasons", "there is no run to show yet, or Quiz Mode hides the answer")
        self.find_origin = self._make(self.tr("Find Ori&gin"), why=why)
        why = translate("Reasons", "no tensor element is pinned")
        self.show_history = self._make(self.tr("&History of Pinned Tensor"), why=why)
        self._add(None)
        why = translate("Reasons", "only a saved trace or a scene with its own inputs has a link")
        self.copy_link = self._make(self.tr("Copy &Link to This Step"), why=why)
        self._add(None)
        why = translate("Reasons", "only for your own files, outside Presenter Mode")
        self.edit_here = self._make(self.tr("Edit &Source"), "Ctrl+Shift+E", why=why)
        why = translate("Reasons", "the source file is not on this machine")
        self.edit_source = self._make(self.tr("Open Source in &Editor"), "Ctrl+E", why=why)

    def _declare_view(self) -> None:
        self.show_graph = self._make(self.tr("Sho&w Graph"))
        self.show_jacobians = self._make(self.tr("Show &Jacobians"))
        self.show_compare = self._make(self.tr("Show Co&mpare"))
        self.show_training = self._make(self.tr("Show T&raining"))
        self._add(None)
        with self._inside(translate("Menus", "&Theme")):
            self.themes = self._choice(
                {
                    "system": self.tr("&System"),
                    "light": self.tr("&Light"),
                    "dark": self.tr("&Dark"),
                }
            )
        with self._inside(translate("Menus", "&Panels")):
            self._add("panels")
        self.restore = self._make(self.tr("Reset La&yout"))
        self._add(None)
        self.larger = self._make(self.tr("&Larger Text"), "Ctrl+>")
        self.smaller = self._make(self.tr("&Smaller Text"), "Ctrl+<")
        self._add(None)
        self.zoom_in = self._make(self.tr("Zoom &In"), _KEY.ZoomIn, "Ctrl+=")
        self.zoom_out = self._make(self.tr("Zoom &Out"), _KEY.ZoomOut)
        self.full_size = self._make(self.tr("&100%"), "Ctrl+0")
        self.fit = self._make(self.tr("&Fit Graph"))
        self.centre = self._make(self.tr("&Center Current Node"))
        with self._inside(translate("Menus", "&Graph")):
            self._declare_graph()
        self._add(None)
        self._declare_presenting()

    def _declare_graph(self) -> None:
        why = translate("Reasons", "the node is not a closed group")
        self.open_group = self._make(self.tr("&Open Group"), why=why)
        why = translate("Reasons", "the node is not in an opened group")
        self.close_group = self._make(self.tr("Clos&e Group"), why=why)
        why = translate("Reasons", "there are no opened groups")
        self.fold_all = self._make(self.tr("Close Opened Gro&ups"), why=why)
        self.describe = self._make(self.tr("Node &Details"))
        self._add(None)
        self.legend = self._make(self.tr("Le&gend"), checkable=True)
        self.color_by_time = self._make(self.tr("Color by &Time"), checkable=True)
        self.animate = self._make(self.tr("&Animate Steps"), checkable=True)

    def _declare_presenting(self) -> None:
        why = translate("Reasons", "only in Presenter Mode")
        self.present = self._make(self.tr("Pr&esenter Mode"), "F5", checkable=True)
        self.present_on = self._make(self.tr("Present O&n"))
        self.quiz_mode = self._make(self.tr("&Quiz Mode"), checkable=True)
        self.hide_answers = self._make(self.tr("Hide &Answers Again"), why=why)
        self.pen = self._make(self.tr("&Draw With Pen"), checkable=True, why=why)
        self.spotlight = self._make(self.tr("Spotlig&ht"), checkable=True, why=why)
        self.black = self._make(self.tr("&Black Screen"), why=why)
        self.full_screen = self._make(self.tr("F&ull Screen"), *full_screen_keys())

    def _declare_run(self) -> None:
        incomplete = translate("Reasons", "the inputs are incomplete")
        self.run = self._make(self.tr("&Run"), "Ctrl+R", why=incomplete)
        why = translate("Reasons", "only for your own Python files")
        self.run_as_script = self._make(self.tr("Run as Scrip&t…"), why=why)
        why = translate("Reasons", "nothing is running")
        self.stop = self._make(self.tr("Sto&p"), "Ctrl+.", why=why)
        self.check = self._make(self.tr("&Check the Gradient"))
        self._add(None)
        self.watch = self._make(self.tr("Run Again When File Is &Saved"), checkable=True)
        self._add(None)
        why = translate("Reasons", "no change is enabled")
        self.run_changed = self._make(self.tr("Run &With Changes"), why=why)
        why = translate("Reasons", "this is the original run")
        self.back_to_original = self._make(
            self.tr("&Back to Original Run"), short=self.tr("Back"), why=why
        )
        why = translate("Reasons", "there is no other run, or no differences")
        self.next_difference = self._make(self.tr("Next &Difference"), why=why)
        self.mark_differences = self._make(
            self.tr("&Mark Differences in Graph"), short=self.tr("Mark in Graph"), why=why
        )
        self._add(None)
        self.compare_with = self._make(self.tr("Compare Wit&h…"))
        why = translate("Reasons", "nothing is compared, or no differences")
        self.next_compare_difference = self._make(
            self.tr("Ne&xt Difference in Compare"), short=self.tr("Next"), why=why
        )
        self.previous_compare_difference = self._make(
            self.tr("Pre&vious Difference in Compare"), short=self.tr("Previous"), why=why
        )
        self._add(None)
        self.depths = self._choice(
            {
                "nodes": self.tr("Record &Nodes Only"),
                "ops": self.tr("Record Nodes and &Ops"),
                "lines": self.tr("Record Nodes and Source L&ines"),
                "all": self.tr("Record Nodes, Ops and So&urce Lines"),
            }
        )
        self.record_lines = self._make(self.tr("Record &Lines and Run Again"), why=incomplete)
        self._add(None)
        # The keys are values of the preference, which may also be a range.
        self.passes = self._choice(
            {
                "": self.tr("Record a Sampl&e of Many Passes"),
                "all": self.tr("Record &All Passes"),
            }
        )

    def _declare_step(self) -> None:
        at_end = translate("Reasons", "there is no later step")
        at_start = translate("Reasons", "there is no earlier step")
        # Presenter remotes send Page Down and Page Up.
        self.next = self._make(self.tr("&Next Step"), "F10", "PgDown", why=at_end)
        self.previous = self._make(self.tr("&Previous Step"), "Shift+F10", "PgUp", why=at_start)
        self._add(None)
        # Home, End and Space must keep their meaning in other widgets; only the timeline and the
        # graph handle them, so they are not window-wide shortcuts.
        self.first = self._make(self.tr("&First Step"), why=at_start)
        self.last = self._make(self.tr("&Last Step"), why=at_end)
        self._add(None)
        why = translate("Reasons", "nothing finer was recorded")
        self.into = self._make(self.tr("Step &Into"), "F11", why=why)
        why = translate("Reasons", "this is the outermost level")
        self.out = self._make(self.tr("Step &Out"), "Shift+F11", why=why)
        self._add(None)
        self.levels = self._choice(
            {
                "pass": self.tr("By P&asses"),
                "node": self.tr("By No&des"),
                "stage": self.tr("By Sta&ges"),
                "line": self.tr("By Lin&es"),
                "op": self.tr("By Op&s"),
            }
        )
        self._add(None)
        why = translate("Reasons", "there are no steps to play")
        self.play = self._make(self.tr("Pla&y"), why=why)
        with self._inside(translate("Menus", "Playba&ck Speed")):
            self.speeds = self._choice(
                {
                    0.5: self.tr("&Half a Step per Second"),
                    USUAL_SPEED: self.tr("&1 Step per Second"),
                    2.0: self.tr("&2 Steps per Second"),
                    5.0: self.tr("&5 Steps per Second"),
                    20.0: self.tr("2&0 Steps per Second"),
                },
                USUAL_SPEED,
            )
        self._add(None)
        why = translate("Reasons", "the run has no such iteration")
        self.next_iteration = self._make(self.tr("Next Ite&ration"), "Ctrl+PgDown", why=why)
        self.previous_iteration = self._make(self.tr("Previous I&teration"), "Ctrl+PgUp", why=why)
        why = translate("Reasons", "the run has no iterations")
        self.all_iterations = self._make(self.tr("S&how All Iterations"), checkable=True, why=why)
        self._add(None)
        why = translate("Reasons", "there is no trace of such a rank in the same folder")
        self.next_rank = self._make(self.tr("Next Ran&k"), "Alt+PgDown", why=why)
        self.previous_rank = self._make(self.tr("Pre&vious Rank"), "Alt+PgUp", why=why)
        self._add(None)
        with self._inside(translate("Menus", "&Breakpoints")):
            self._declare_breakpoints()

    def _declare_breakpoints(self) -> None:
        why = translate("Reasons", "no later step hits a breakpoint")
        self.run_to_next_breakpoint = self._make(self.tr("&Run to Next Breakpoint"), "F8", why=why)
        why = translate("Reasons", "no earlier step hits a breakpoint")
        self.run_to_previous_breakpoint = self._make(
            self.tr("Run &Back to Breakpoint"), "Shift+F8", why=why
        )
        self._add(None)
        why = translate("Reasons", "no node is selected, and the step has none")
        self.toggle_breakpoint = self._make(self.tr("&Set or Remove Breakpoint"), "F9", why=why)
        why = translate("Reasons", "there are no breakpoints")
        self.clear_breakpoints = self._make(self.tr("Remove &All Breakpoints"), why=why)

    def _declare_lesson(self) -> None:
        # Where someone looks for a lesson to open.
        self._add("lesson", None)
        not_played = translate("Reasons", "no lesson is played")
        # While a lesson is played, these get the keys of Next and Previous Step.
        self.next_stop = self._make(self.tr("&Next Stop"), why=not_played)
        self.previous_stop = self._make(self.tr("&Previous Stop"), why=not_played)
        self._add(None)
        self.speaker_view = self._make(self.tr("&Speaker View"), why=not_played)
        self._add(None)
        self.add_stop = self._make(
            self.tr("&Add This View to Lesson"), "Ctrl+Shift+A", why=self.no_run
        )
        self._add(None)
        self.leave_lesson = self._make(self.tr("&Leave Lesson"), why=not_played)

    def _declare_help(self) -> None:
        self.show_guide = self._make(self.tr("&Guide"), _KEY.HelpContents)
        self._add(None)
        self.show_commands = self._make(self.tr("&Command Palette…"), "Ctrl+Shift+P")
        self.show_keys = self._make(self.tr("&Keyboard Shortcuts…"), "?")
        self._add(None)
        self.about = self._make(self.tr("&About gradviz"))
        self.about.setMenuRole(QAction.MenuRole.AboutRole)

    def _declare_node(self) -> None:
        why = translate("Reasons", "the step that created the node is unknown")
        self.go_made = self._make(self.tr("Go to the Step That &Made It"), why=why)
        why = translate("Reasons", "no step executes the node")
        self.go_executed = self._make(self.tr("Go to the Step That &Executes It"), why=why)
        why = translate("Reasons", "no gradient reaches the node")
        self.go_sender = self._make(self.tr("Go to the Step That Made Its &Gradient"), why=why)
        why = translate("Reasons", "no later step involves the node")
        self.run_here = self._make(self.tr("Run to &Here"), why=why)
        why = translate("Reasons", "no tensor of the node has NaN or Inf")
        self.find_node_origin = self._make(self.tr("Find Origin of Its NaN or &Inf"), why=why)
        self._add(None, "gradients", None, "changes", None, self.centre)
        why = translate("Reasons", "no node is selected")
        self.copy_name = self._make(self.tr("Copy &Name"), why=why)

    @contextmanager
    def _inside(self, title: str) -> Iterator[None]:
        """Put what is declared meanwhile into a menu."""
        outer, self._menu = self._menu, CommandMenu(title)
        outer.entries.append(self._menu)
        yield
        self._menu = outer

    def _add(self, *entries: QAction | str | None) -> None:
        self._menu.entries += entries

    def _choice(
        self, texts: Mapping[str, str] | Mapping[float, str], now: object = None
    ) -> QActionGroup:
        """Declare commands of which one is checked, with the keys of the texts as their data."""
        group = QActionGroup(self)
        for data, text in texts.items():
            action = group.addAction(self._make(text, checkable=True))
            action.setData(data)
            action.setChecked(data == now)
        return group

    def _make(
        self, text: str, *keys: Key, short: str = "", why: str = "", checkable: bool = False
    ) -> QAction:
        """Declare a command at the next place of the menu.

        Args:
            text: Text in menus, with the mnemonic.
            keys: Keys that work in the whole window.
            short: Text of its button, if it is another one.
            why: Why it is disabled, when it is, to follow a colon.
            checkable: Whether it is on or off.
        """
        action = QAction(text, self)
        action.setShortcuts(sequences_of(with_mac_alternatives(keys, sys.platform)))
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.setCheckable(checkable)
        if short:
            action.setIconText(short)
        if why:
            self.reasons[action] = why
        self._add(action)
        return action


def sequences_of(keys: Sequence[Key]) -> list[QKeySequence]:
    """Convert keys to sequences without duplicates, as Qt ignores ambiguous shortcuts."""
    sequences = dict.fromkeys(QKeySequence(each) for each in keys)
    # Some platforms define no shortcut for a standard command.
    return [each for each in sequences if not each.isEmpty()]


def full_screen_keys() -> list[str]:
    """Return the platform's full-screen shortcuts except F11, which is Step Into here."""
    standard = QKeySequence.keyBindings(QKeySequence.StandardKey.FullScreen)
    keys = [each.toString() for each in standard]
    kept = [key for key in keys if key != "F11"] or ["Ctrl+F11"]
    # Qt has separate names for the main Return key and the keypad's Enter.
    return [*kept, *(key.replace("Enter", "Return") for key in kept if "Enter" in key)]


def tip_of(action: QAction, text: str, *more_keys: str) -> str:
    """Append the command's shortcuts in parentheses to a tooltip.

    Args:
        action: The command.
        text: What the command does.
        more_keys: Further keys, which work only in the focused widget.
    """
    native = QKeySequence.SequenceFormat.NativeText
    keys = [each.toString(native) for each in action.shortcuts()]
    named = ", ".join([*more_keys, *dict.fromkeys(keys)])
    return f"{text} ({named})" if named else text


def without_mnemonic(text: str) -> str:
    """A menu text such as ``&Open`` without its mnemonic, which is ``(&O)`` in Chinese."""
    return _MNEMONIC.sub("", text).replace("&&", "&")
