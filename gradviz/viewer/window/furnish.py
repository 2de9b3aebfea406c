"""Builds the content of a window in portions, so that the window stays responsive.

Each portion imports what it needs. All of them together take three times as long as showing the
empty window, which is therefore shown first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gradviz.viewer.background import Background
from gradviz.viewer.files.recent_files import RecentFiles
from gradviz.viewer.running.session import Session
from gradviz.viewer.state import ViewerState
from gradviz.viewer.window.main_window import MainWindow


@dataclass(frozen=True, slots=True, kw_only=True)
class Supplies:
    """The objects from which the content of a window is built.

    Attributes:
        state: The state shared by all panels.
        session: Runs code and opens traces.
        background: Runs slow work in threads.
        recent: The recently opened files.
    """

    state: ViewerState
    session: Session
    background: Background
    recent: RecentFiles


def furnish(window: MainWindow, supplies: Supplies) -> Iterator[None]:
    """Build one portion of the window's content on each ``next``."""
    window.state, window.session = supplies.state, supplies.session
    # Connect before the panels: a new style sheet resets the colors that they set themselves.
    supplies.state.theme_changed.connect(window.set_theme)
    for portion in _PORTIONS:
        portion(window, supplies)
        yield


def _graph(window: MainWindow, supplies: Supplies) -> None:
    from gradviz.viewer.canvas.panel import GraphPanel
    from gradviz.viewer.presenter.room import Room
    from gradviz.viewer.window.previous_veil import PreviousVeil

    state = supplies.state
    window.graph = GraphPanel(state, supplies.background, window.commands)
    window.tabs.addWidget(window.graph)
    window.centre.removeWidget(window.tabs)
    window.room = Room(window.tabs)
    window.centre.addWidget(window.room, 1)
    window.veil = PreviousVeil(state, window.tabs)


def _form(window: MainWindow, supplies: Supplies) -> None:
    from gradviz.viewer.inputs.form import InputsForm

    window.form = InputsForm(supplies.state, remembers=window.remembers)
    window.docks.fill("inputs", window.form)


def _inspector(window: MainWindow, supplies: Supplies) -> None:
    from gradviz.viewer.inspector.inspector import Inspector
    from gradviz.viewer.tensor_view.tensor_windows import TensorWindows

    state, background = supplies.state, supplies.background
    window.inspector = Inspector(state, background=background, actions=window.commands)
    window.docks.fill("inspector", window.inspector)
    window.tensors = TensorWindows(window, state, background, remember=window.remembers)


def _lists(window: MainWindow, supplies: Supplies) -> None:
    from gradviz.viewer.console.panel import ConsolePanel
    from gradviz.viewer.ops.panel import OpsPanel
    from gradviz.viewer.outline.panel import OutlinePanel

    window.outline = OutlinePanel(supplies.state)
    window.docks.fill("outline", window.outline)
    window.console = ConsolePanel(supplies.state)
    window.docks.fill("console", window.console)
    window.ops = OpsPanel(supplies.state, window.commands)
    window.docks.fill("ops", window.ops)


def _source(window: MainWindow, supplies: Supplies) -> None:
    from gradviz.viewer.source.editor_control import EditorControl
    from gradviz.viewer.source.panel import SourcePanel

    state, background = supplies.state, supplies.background
    window.source = SourcePanel(state, background=background, actions=window.commands)
    window.docks.fill("source", window.source)
    editor = EditorControl(state, window.source, window.commands, window)
    editor.said.connect(window.messages.say)


def _story(window: MainWindow, supplies: Supplies) -> None:
    from gradviz.viewer.story.control import StoryControl
    from gradviz.viewer.story.panel import StoryPanel

    state, commands = supplies.state, window.commands
    window.story = StoryPanel(state, supplies.background, commands)
    window.docks.fill("story", window.story)
    StoryControl(state, commands, window.docks["story"], window)


def _doctor(window: MainWindow, supplies: Supplies) -> None:
    from gradviz.viewer.doctor.control import DoctorControl
    from gradviz.viewer.doctor.panel import DoctorPanel

    window.doctor = DoctorPanel(supplies.state)
    window.docks.fill("doctor", window.doctor)
    DoctorControl(window.doctor, window.docks["doctor"], window)


def _training(window: MainWindow, supplies: Supplies) -> None:
    from gradviz.viewer.training.control import TrainingControl
    from gradviz.viewer.training.panel import TrainingPanel

    window.training = TrainingPanel(supplies.state, supplies.background)
    window.docks.fill("training", window.training)
    beside = tuple(window.docks[name] for name in ("source", "ops", "console", "doctor"))
    TrainingControl(supplies.state, window.docks["training"], beside, window)


def _bars(window: MainWindow, supplies: Supplies) -> None:
    from gradviz.viewer.find.control import FindControl
    from gradviz.viewer.running.work import Work
    from gradviz.viewer.stepping import Stepping
    from gradviz.viewer.timeline.panel import TimelinePanel
    from gradviz.viewer.window.status import Status

    state, session, commands = supplies.state, supplies.session, window.commands
    window.timeline = TimelinePanel(state, commands, supplies.background)
    window.bottom.addWidget(window.timeline)
    Stepping(state, commands, window)
    window.bottom.setMinimumHeight(0)
    window.work = Work(state, session, window)
    window.status = Status(state, session, commands)
    window.setStatusBar(window.status)
    window.find_control = FindControl(state, supplies.background, commands, window)
    window.top.place_right(window.find_control.home)


def _controls(window: MainWindow, supplies: Supplies) -> None:
    from gradviz.viewer.beside.control import CompareControl
    from gradviz.viewer.files.control import FileControl
    from gradviz.viewer.files.drop import FileDrop
    from gradviz.viewer.files.recent_control import RecentControl
    from gradviz.viewer.files.rerun_control import RerunControl
    from gradviz.viewer.running.check_control import CheckControl
    from gradviz.viewer.running.depth_control import DepthControl
    from gradviz.viewer.running.run_control import RunControl
    from gradviz.viewer.window.first_hint import FirstHint

    state, session, background = supplies.state, supplies.session, supplies.background
    commands, messages = window.commands, window.messages
    panels = (window.library, window.form, window.top, messages)
    run = window.run_control = RunControl(state, session, commands, panels, window)
    DepthControl(state.preferences, commands, window)
    window.check_control = CheckControl(state, session, background, window.tabs, window)
    window.check_control.part_sought.connect(window.show_part)
    around = (window.top, window.tabs, messages)
    window.compare_control = CompareControl(state, session, background, commands, around, window)
    window.file_control = FileControl(state, session, background, commands, run, messages, window)
    heard = (window.recent_menu, window.library, messages)
    RecentControl(supplies.recent, session, run, heard, window)
    window.rerun_control = RerunControl(
        state.preferences, session, background, run, commands.watch, window
    )
    window.drop = FileDrop(window, state.theme)
    window.hint = FirstHint(state, commands, messages, window)


def _breakpoints(window: MainWindow, supplies: Supplies) -> None:
    from gradviz.viewer.breakpoints.breakpoints import Breakpoints
    from gradviz.viewer.breakpoints.links import GraphLink, TimelineLink
    from gradviz.viewer.breakpoints.menu import BreakpointMenu
    from gradviz.viewer.breakpoints.panel import BreakpointPanel

    state, background = supplies.state, supplies.background
    breakpoints = window.breakpoints = Breakpoints(
        state, background, stored=window.remembers, parent=window
    )
    panel = BreakpointPanel(state, breakpoints, window.commands)
    window.docks.fill("breakpoints", panel)
    BreakpointMenu(panel, breakpoints, window.commands)
    GraphLink(breakpoints, window.graph)
    TimelineLink(breakpoints, window.timeline)


def _changes(window: MainWindow, supplies: Supplies) -> None:
    from gradviz.viewer.changes.control import ChangesControl

    window.changes = ChangesControl(
        supplies.state,
        supplies.session,
        supplies.background,
        window.commands,
        window.run_control,
        (window.docks["changes"], window.messages),
        window,
    )
    window.docks.fill("changes", window.changes.panel)


def _guide(window: MainWindow, supplies: Supplies) -> None:
    from gradviz.viewer.guide.control import GuideControl, Ways

    def check(order: int) -> None:
        window.show_part("jacobians")
        window.check_control.check(order)

    ways = Ways(
        run_scene=window.run_scene,
        compare=window.compare_control.compare_with_scene,
        check=check,
        show=window.show_part,
    )
    state, background, dock = supplies.state, supplies.background, window.docks["guide"]
    window.guide = GuideControl(
        state, supplies.session, background, window.commands, dock, ways, window
    )
    window.guide.said.connect(window.messages.say)


def _commands(window: MainWindow, supplies: Supplies) -> None:
    from gradviz.viewer.breakpoints.control import BreakpointControl
    from gradviz.viewer.breakpoints.links import SourceLink
    from gradviz.viewer.commands.control import CommandControl
    from gradviz.viewer.commands.node_commands import NodeCommands
    from gradviz.viewer.commands.source_menu import SourceMenu
    from gradviz.viewer.commands.window_menus import (
        ConsoleMenu,
        GraphMenu,
        LibraryMenu,
        OpsMenu,
        OutlineMenu,
        TimelineMenu,
    )

    state, actions = supplies.state, window.commands
    nodes = window.nodes = NodeCommands(state, actions, window)
    control = BreakpointControl(state, window.breakpoints, actions, nodes, window)
    control.follow_source(window.source, SourceLink(window.breakpoints, window.source).current_line)
    window.menuBar().insertMenu(window.help_entry, nodes.menu)
    window.changes.serve(nodes)
    window.command_control = CommandControl(
        state, actions, window.run_scene, window, remember=window.remembers
    )
    window.context_menus = (
        GraphMenu(state, window.graph, actions, nodes),
        TimelineMenu(state, window.timeline.bar, actions),
        LibraryMenu(window.library),
        OutlineMenu(window.outline, actions, nodes),
        ConsoleMenu(window.console.view),
        OpsMenu(window.ops),
    )
    for column in (window.source.forward, window.source.backward):
        window.context_menus += (SourceMenu(state, window.source, column, actions),)
    window.join()


_PORTIONS: tuple[Callable[[MainWindow, Supplies], None], ...] = (
    _graph,
    _form,
    _inspector,
    _lists,
    _source,
    _story,
    _doctor,
    _training,
    _bars,
    _controls,
    _breakpoints,
    _changes,
    _guide,
    _commands,
)
