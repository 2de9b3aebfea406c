"""Builds the content of a window in portions, so that the window stays responsive.

Each portion imports what it needs. All of them together take three times as long as showing the
empty window, which is therefore shown first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gradviz.viewer.background import Background
from gradviz.viewer.files.recent_files import RecentFiles
from gradviz.viewer.session.session import Session
from gradviz.viewer.state import ViewerState
from gradviz.viewer.window.main_window import MainWindow


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowDependencies:
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


def assemble_window(window: MainWindow, dependencies: WindowDependencies) -> Iterator[None]:
    """Build one portion of the window's content on each ``next``."""
    window.state, window.session = dependencies.state, dependencies.session
    # Connect before the panels: a new style sheet resets the colors that they set themselves.
    dependencies.state.theme_changed.connect(window.set_theme)
    for portion in _ASSEMBLY_STEPS:
        portion(window, dependencies)
        yield


def _graph(window: MainWindow, dependencies: WindowDependencies) -> None:
    from gradviz.viewer.canvas.graph_panel import GraphPanel
    from gradviz.viewer.presenter.presenter_area import PresenterArea
    from gradviz.viewer.window.previous_run_veil import PreviousRunVeil

    state = dependencies.state
    window.graph = GraphPanel(state, dependencies.background, window.commands)
    window.tabs.addWidget(window.graph)
    window.centre.removeWidget(window.tabs)
    window.room = PresenterArea(window.tabs)
    window.centre.addWidget(window.room, 1)
    window.veil = PreviousRunVeil(state, window.tabs)


def _form(window: MainWindow, dependencies: WindowDependencies) -> None:
    from gradviz.viewer.inputs.form import InputsForm

    window.form = InputsForm(dependencies.state, remembers=window.remembers)
    window.docks.fill("inputs", window.form)


def _inspector(window: MainWindow, dependencies: WindowDependencies) -> None:
    from gradviz.viewer.inspector.inspector import Inspector
    from gradviz.viewer.tensor_view.large.tensor_windows import TensorWindows

    state, background = dependencies.state, dependencies.background
    window.inspector = Inspector(state, background=background, actions=window.commands)
    window.docks.fill("inspector", window.inspector)
    window.tensors = TensorWindows(window, state, background, remember=window.remembers)


def _lists(window: MainWindow, dependencies: WindowDependencies) -> None:
    from gradviz.viewer.console.panel import ConsolePanel
    from gradviz.viewer.ops.panel import OpsPanel
    from gradviz.viewer.outline.panel import OutlinePanel

    window.outline = OutlinePanel(dependencies.state)
    window.docks.fill("outline", window.outline)
    window.console = ConsolePanel(dependencies.state)
    window.docks.fill("console", window.console)
    window.ops = OpsPanel(dependencies.state, window.commands)
    window.docks.fill("ops", window.ops)


def _source(window: MainWindow, dependencies: WindowDependencies) -> None:
    from gradviz.viewer.source.editor_controller import EditorController
    from gradviz.viewer.source.panel import SourcePanel

    state, background = dependencies.state, dependencies.background
    window.source = SourcePanel(state, background=background, actions=window.commands)
    window.docks.fill("source", window.source)
    editor = EditorController(state, window.source, window.commands, window)
    editor.said.connect(window.messages.say)


def _story(window: MainWindow, dependencies: WindowDependencies) -> None:
    from gradviz.viewer.provenance.controller import ProvenanceController
    from gradviz.viewer.provenance.panel import ProvenancePanel

    state, commands = dependencies.state, window.commands
    window.story = ProvenancePanel(state, dependencies.background, commands)
    window.docks.fill("story", window.story)
    ProvenanceController(state, commands, window.docks["story"], window)


def _doctor(window: MainWindow, dependencies: WindowDependencies) -> None:
    from gradviz.viewer.doctor.panel import DoctorPanel, DoctorTabCount

    window.doctor = DoctorPanel(dependencies.state)
    window.docks.fill("doctor", window.doctor)
    DoctorTabCount(window.doctor, window.docks["doctor"], window)


def _training(window: MainWindow, dependencies: WindowDependencies) -> None:
    from gradviz.viewer.training.controller import TrainingController
    from gradviz.viewer.training.panel import TrainingPanel

    window.training = TrainingPanel(dependencies.state, dependencies.background)
    window.docks.fill("training", window.training)
    beside = tuple(window.docks[name] for name in ("source", "ops", "console", "doctor"))
    TrainingController(dependencies.state, window.docks["training"], beside, window)


def _bars(window: MainWindow, dependencies: WindowDependencies) -> None:
    from gradviz.viewer.commands.step_commands import StepCommands
    from gradviz.viewer.find.controller import FindController
    from gradviz.viewer.session.work_status import WorkStatus
    from gradviz.viewer.timeline.panel import TimelinePanel
    from gradviz.viewer.window.status_bar import WindowStatusBar

    state, session, commands = dependencies.state, dependencies.session, window.commands
    window.timeline = TimelinePanel(state, commands, dependencies.background)
    window.bottom.addWidget(window.timeline)
    StepCommands(state, commands, window)
    window.bottom.setMinimumHeight(0)
    window.work = WorkStatus(state, session, window)
    window.status = WindowStatusBar(state, session, commands)
    window.setStatusBar(window.status)
    window.find_control = FindController(state, dependencies.background, commands, window)
    window.top.place_right(window.find_control.home)


def _controls(window: MainWindow, dependencies: WindowDependencies) -> None:
    from gradviz.viewer.compare.launcher import CompareLauncher
    from gradviz.viewer.files.controller import FileController
    from gradviz.viewer.files.file_drop import FileDrop
    from gradviz.viewer.files.recent_controller import RecentFilesController
    from gradviz.viewer.files.rerun_controller import RerunController
    from gradviz.viewer.session.check_controller import CheckController
    from gradviz.viewer.session.run_controller import DepthController, RunController
    from gradviz.viewer.window.first_hint import FirstHint

    state, session, background = dependencies.state, dependencies.session, dependencies.background
    commands, messages = window.commands, window.messages
    panels = (window.library, window.form, window.top, messages)
    run = window.run_control = RunController(state, session, commands, panels, window)
    DepthController(state.preferences, commands, window)
    window.check_control = CheckController(state, session, background, window.tabs, window)
    window.check_control.part_requested.connect(window.show_part)
    around = (window.top, window.tabs, messages)
    window.compare_control = CompareLauncher(state, session, background, commands, around, window)
    window.file_control = FileController(
        state, session, background, commands, run, messages, window
    )
    heard = (window.recent_menu, window.library, messages)
    RecentFilesController(dependencies.recent, session, run, heard, window)
    window.rerun_control = RerunController(
        state.preferences, session, background, run, commands.watch, window
    )
    window.drop = FileDrop(window, state.theme)
    window.hint = FirstHint(state, commands, messages, window)


def _breakpoints(window: MainWindow, dependencies: WindowDependencies) -> None:
    from gradviz.viewer.breakpoints.breakpoint_list import BreakpointList
    from gradviz.viewer.breakpoints.marker_links import GraphBreakpoints, TimelineBreakpoints
    from gradviz.viewer.breakpoints.panel import BreakpointMenu, BreakpointPanel

    state, background = dependencies.state, dependencies.background
    breakpoints = window.breakpoints = BreakpointList(
        state, background, stored=window.remembers, parent=window
    )
    panel = BreakpointPanel(state, breakpoints, window.commands)
    window.docks.fill("breakpoints", panel)
    BreakpointMenu(panel, breakpoints, window.commands)
    GraphBreakpoints(breakpoints, window.graph)
    TimelineBreakpoints(breakpoints, window.timeline)


def _changes(window: MainWindow, dependencies: WindowDependencies) -> None:
    from gradviz.viewer.what_if.controller import WhatIfController

    window.changes = WhatIfController(
        dependencies.state,
        dependencies.session,
        dependencies.background,
        window.commands,
        window.run_control,
        (window.docks["changes"], window.messages),
        window,
    )
    window.docks.fill("changes", window.changes.panel)


def _guide(window: MainWindow, dependencies: WindowDependencies) -> None:
    from gradviz.viewer.guide.controller import GuideActions, GuideController

    def check(order: int) -> None:
        window.show_part("jacobians")
        window.check_control.check(order)

    ways = GuideActions(
        run_scene=window.run_scene,
        compare=window.compare_control.compare_with_scene,
        check=check,
        show=window.show_part,
    )
    state, background, dock = dependencies.state, dependencies.background, window.docks["guide"]
    window.guide = GuideController(
        state, dependencies.session, background, window.commands, dock, ways, window
    )
    window.guide.said.connect(window.messages.say)


def _commands(window: MainWindow, dependencies: WindowDependencies) -> None:
    from gradviz.viewer.breakpoints.controller import BreakpointController
    from gradviz.viewer.breakpoints.marker_links import SourceBreakpoints
    from gradviz.viewer.commands.controller import CommandController
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

    state, actions = dependencies.state, window.commands
    nodes = window.nodes = NodeCommands(state, actions, window)
    control = BreakpointController(state, window.breakpoints, actions, nodes, window)
    control.follow_source(
        window.source, SourceBreakpoints(window.breakpoints, window.source).current_line
    )
    window.menuBar().insertMenu(window.help_entry, nodes.menu)
    window.changes.serve(nodes)
    window.command_control = CommandController(
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


_ASSEMBLY_STEPS: tuple[Callable[[MainWindow, WindowDependencies], None], ...] = (
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
