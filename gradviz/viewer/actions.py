"""All commands of the window as `QAction`s, shared by menus, buttons and keys."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence

from gradviz.viewer.local_keys import KeySequences, with_mac_alternatives

USUAL_SPEED = 1.0
"""Steps per second of playback at first."""


class Actions(QObject):
    """The window's commands; the controller of each one connects to its ``triggered``."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        standard = QKeySequence.StandardKey
        self.new_window = self._make(self.tr("&New Window"), [standard.New])
        self.open = self._make(self.tr("&Open…"), [standard.Open])
        self.open_elsewhere = self._make(self.tr("Open in New &Window…"), ["Ctrl+Shift+O"])
        self.save = self._make(self.tr("&Save Trace As…"), [standard.SaveAs, "Ctrl+S"])
        self.export_page = self._make(self.tr("Export Run as &HTML Page…"), [])
        self.export_graph = self._make(self.tr("Export &Graph as SVG, PDF, PNG or DOT…"), [])
        self.export_film = self._make(self.tr("Export &Film as MP4 or GIF…"), [])
        self.export_tensors = self._make(self.tr("Export T&ensors as NPZ or safetensors…"), [])
        self.settings = self._make(self.tr("Se&ttings…"), [standard.Preferences, "Ctrl+,"])
        self.settings.setMenuRole(QAction.MenuRole.PreferencesRole)
        self.close = self._make(self.tr("&Close Window"), [standard.Close, "Ctrl+W"])
        self.quit = self._make(self.tr("&Quit"), [standard.Quit, "Ctrl+Q"])
        self.quit.setMenuRole(QAction.MenuRole.QuitRole)
        self.about = self._make(self.tr("&About gradviz"), [])
        self.about.setMenuRole(QAction.MenuRole.AboutRole)
        self.run = self._make(self.tr("&Run"), ["Ctrl+R"])
        self.run_as_script = self._make(self.tr("Run as Scrip&t…"), [])
        self.stop = self._make(self.tr("Sto&p"), ["Ctrl+."])
        self.watch = self._make(self.tr("Run Again When File Is &Saved"), [])
        self.watch.setCheckable(True)
        self._make_changes()
        self._make_depths()
        self._make_edits()
        self._make_steps()
        self._make_views()
        self._make_presenting()
        self._make_lessons()
        self._make_canvas()
        self._make_finds()
        self._make_nodes()

    def _make_depths(self) -> None:
        self.record_lines = self._make(self.tr("Record &Lines and Run Again"), [])
        self.depths = QActionGroup(self)
        for level, text in (
            ("nodes", self.tr("Record &Nodes Only")),
            ("ops", self.tr("Record Nodes and &Ops")),
            ("lines", self.tr("Record Nodes and Source L&ines")),
            ("all", self.tr("Record Nodes, Ops and So&urce Lines")),
        ):
            action = self._make(text, [])
            action.setCheckable(True)
            action.setData(level)
            self.depths.addAction(action)

    def _make_canvas(self) -> None:
        self.describe = self._make(self.tr("Node &Details"), [])
        self.legend = self._make(self.tr("Le&gend"), [])
        self.minimap = self._make(self.tr("&Minimap"), [])
        self.animate = self._make(self.tr("&Animate Steps"), [])
        for action in (self.legend, self.minimap, self.animate):
            action.setCheckable(True)

    def _make_finds(self) -> None:
        standard = QKeySequence.StandardKey
        self.find = self._make(self.tr("&Find…"), [standard.Find])
        self.find_next = self._make(self.tr("Find &Next"), ["F3", "Ctrl+G"])
        self.find_previous = self._make(self.tr("Find &Previous"), ["Shift+F3", "Ctrl+Shift+G"])
        self.find_origin = self._make(self.tr("Find Ori&gin"), [])
        self.find_node_origin = self._make(self.tr("Find Origin of Its NaN or &Inf"), [])
        self.show_history = self._make(self.tr("&History of Pinned Tensor"), [])
        self.show_commands = self._make(self.tr("&Command Palette…"), ["Ctrl+Shift+P"])
        self.show_keys = self._make(self.tr("&Keyboard Shortcuts…"), ["?"])
        self.show_guide = self._make(self.tr("&Guide"), [standard.HelpContents])

    def _make_changes(self) -> None:
        self.run_changed = self._make(self.tr("Run &With Changes"), [])
        self.back_to_original = self._make(self.tr("&Back to Original Run"), [])
        self.back_to_original.setIconText(self.tr("Back"))
        self.next_difference = self._make(self.tr("Next &Difference"), [])
        self.mark_differences = self._make(self.tr("&Mark Differences in Graph"), [])
        self.compare_with = self._make(self.tr("Compare Wit&h…"), [])
        self.next_compare_difference = self._make(self.tr("Ne&xt Difference in Compare"), [])
        self.next_compare_difference.setIconText(self.tr("Next"))
        self.previous_compare_difference = self._make(
            self.tr("Pre&vious Difference in Compare"), []
        )
        self.previous_compare_difference.setIconText(self.tr("Previous"))
        self.mark_differences.setIconText(self.tr("Mark in Graph"))

    def _make_edits(self) -> None:
        # Both common shortcuts for redo work on every platform.
        self.undo = self._make(self.tr("&Undo"), ["Ctrl+Z"])
        self.redo = self._make(self.tr("&Redo"), ["Ctrl+Shift+Z", "Ctrl+Y"])
        self.reset = self._make(self.tr("Rese&t Inputs"), [])
        self.copy_link = self._make(self.tr("Copy &Link to This Step"), [])
        self.edit_here = self._make(self.tr("Edit &Source"), ["Ctrl+Shift+E"])
        self.edit_source = self._make(self.tr("Open Source in &Editor"), ["Ctrl+E"])

    def _make_nodes(self) -> None:
        self.go_made = self._make(self.tr("Go to the Step That &Made It"), [])
        self.go_executed = self._make(self.tr("Go to the Step That &Executes It"), [])
        self.go_sender = self._make(self.tr("Go to the Step That Made Its &Gradient"), [])
        self.copy_name = self._make(self.tr("Copy &Name"), [])

    def _make_steps(self) -> None:
        # Presenter remotes send Page Down and Page Up.
        self.next = self._make(self.tr("&Next Step"), ["F10", "PgDown"])
        self.previous = self._make(self.tr("&Previous Step"), ["Shift+F10", "PgUp"])
        # Home, End and Space must keep their meaning in other widgets; only the timeline and the
        # graph handle them, so they are not window-wide shortcuts.
        self.first = self._make(self.tr("&First Step"), [])
        self.last = self._make(self.tr("&Last Step"), [])
        self.play = self._make(self.tr("Pla&y"), [])
        self.next_rank = self._make(self.tr("Next Ran&k"), ["Alt+PgDown"])
        self.previous_rank = self._make(self.tr("Pre&vious Rank"), ["Alt+PgUp"])
        self.into = self._make(self.tr("Step &Into"), ["F11"])
        self.out = self._make(self.tr("Step &Out"), ["Shift+F11"])
        self.levels = QActionGroup(self)
        for level, text in (
            ("pass", self.tr("By P&asses")),
            ("node", self.tr("By No&des")),
            ("stage", self.tr("By Sta&ges")),
            ("line", self.tr("By Lin&es")),
            ("op", self.tr("By Op&s")),
        ):
            action = self._make(text, [])
            action.setCheckable(True)
            action.setData(level)
            self.levels.addAction(action)
        self.speeds = QActionGroup(self)
        for speed, text in (
            (0.5, self.tr("&Half a Step per Second")),
            (USUAL_SPEED, self.tr("&1 Step per Second")),
            (2.0, self.tr("&2 Steps per Second")),
            (5.0, self.tr("&5 Steps per Second")),
            (20.0, self.tr("2&0 Steps per Second")),
        ):
            action = self._make(text, [])
            action.setCheckable(True)
            action.setChecked(speed == USUAL_SPEED)
            action.setData(speed)
            self.speeds.addAction(action)
        self._make_breakpoints()

    def _make_breakpoints(self) -> None:
        self.toggle_breakpoint = self._make(self.tr("&Set or Remove Breakpoint"), ["F9"])
        self.run_to_next_breakpoint = self._make(self.tr("&Run to Next Breakpoint"), ["F8"])
        self.run_to_previous_breakpoint = self._make(
            self.tr("Run &Back to Breakpoint"), ["Shift+F8"]
        )
        self.clear_breakpoints = self._make(self.tr("Remove &All Breakpoints"), [])
        self.run_here = self._make(self.tr("Run to &Here"), [])

    def _make_views(self) -> None:
        standard = QKeySequence.StandardKey
        self.fit = self._make(self.tr("&Fit Graph"), [])
        self.centre = self._make(self.tr("&Center Current Node"), [])
        self.open_group = self._make(self.tr("&Open Group"), [])
        self.close_group = self._make(self.tr("Clos&e Group"), [])
        self.fold_all = self._make(self.tr("Close Opened Gro&ups"), [])
        self.full_size = self._make(self.tr("&100%"), ["Ctrl+0"])
        self.zoom_in = self._make(self.tr("Zoom &In"), [standard.ZoomIn, "Ctrl+="])
        self.zoom_out = self._make(self.tr("Zoom &Out"), [standard.ZoomOut])
        self.restore = self._make(self.tr("Reset La&yout"), [])
        self.larger = self._make(self.tr("&Larger Text"), ["Ctrl+>"])
        self.smaller = self._make(self.tr("&Smaller Text"), ["Ctrl+<"])
        self.show_graph = self._make(self.tr("Sho&w Graph"), [])
        self.show_jacobians = self._make(self.tr("Show &Jacobians"), [])
        self.show_compare = self._make(self.tr("Show Co&mpare"), [])
        self.themes = QActionGroup(self)
        for name, text in (
            ("system", self.tr("&System")),
            ("light", self.tr("&Light")),
            ("dark", self.tr("&Dark")),
        ):
            action = self._make(text, [])
            action.setCheckable(True)
            action.setData(name)
            self.themes.addAction(action)

    def _make_presenting(self) -> None:
        self.present = self._make(self.tr("Pr&esenter Mode"), ["F5"])
        self.present_on = self._make(self.tr("Present O&n"), [])
        self.quiz_mode = self._make(self.tr("&Quiz Mode"), [])
        self.arithmetic = self._make(self.tr("Show A&rithmetic While Presenting"), [])
        self.hide_answers = self._make(self.tr("Hide &Answers Again"), [])
        self.pen = self._make(self.tr("&Draw With Pen"), [])
        self.spotlight = self._make(self.tr("Spotlig&ht"), [])
        self.black = self._make(self.tr("&Black Screen"), [])
        self.full_screen = self._make(self.tr("F&ull Screen"), full_screen_keys())
        for action in (self.present, self.quiz_mode, self.pen, self.spotlight):
            action.setCheckable(True)

    def _make_lessons(self) -> None:
        # While a lesson is played, these get the keys of Next and Previous Step.
        self.next_stop = self._make(self.tr("&Next Stop"), [])
        self.previous_stop = self._make(self.tr("&Previous Stop"), [])
        self.add_stop = self._make(self.tr("&Add This View to Lesson"), ["Ctrl+Shift+A"])
        self.embed_runs = self._make(self.tr("Em&bed All Runs"), [])
        self.remove_runs = self._make(self.tr("&Remove Embedded Runs"), [])
        self.leave_lesson = self._make(self.tr("&Leave Lesson"), [])
        self.speaker_view = self._make(self.tr("&Speaker View"), [])

    def _make(self, text: str, keys: KeySequences) -> QAction:
        action = QAction(text, self)
        action.setShortcuts(sequences_of(with_mac_alternatives(keys, sys.platform)))
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        return action


def sequences_of(keys: KeySequences) -> list[QKeySequence]:
    """Convert keys to sequences without duplicates, as Qt ignores ambiguous shortcuts."""
    sequences = dict.fromkeys(QKeySequence(each) for each in keys)
    # Some platforms define no shortcut for a standard command.
    return [each for each in sequences if not each.isEmpty()]


def full_screen_keys() -> list[QKeySequence | QKeySequence.StandardKey | str]:
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
