"""Builds the content of a window in portions, so that the window stays responsive.

Each portion imports what it needs. All of them together take three times as long as showing the
empty window, which is therefore shown first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from gradviz.viewer.background import Background
from gradviz.viewer.commands.node_commands import NodeCommands
from gradviz.viewer.panel_context import PanelContext, build_panel
from gradviz.viewer.panel_spec import PanelSpec
from gradviz.viewer.session.session import Session
from gradviz.viewer.state import ViewerState
from gradviz.viewer.view_requests import ViewRequests
from gradviz.viewer.window.main_window import MainWindow
from gradviz.viewer.window.panel_registry import build_order, panel_specs


def assemble_window(window: MainWindow) -> Iterator[None]:
    """Build one portion of the window's content on each ``next``.

    Args:
        window: The window, whose parts are its state, session, background, requests and recent
            files.
    """
    parts = window.parts
    state, requests = parts[ViewerState], parts[ViewRequests]
    nodes = parts.add(NodeCommands(state, requests, window.commands, window))
    help_entry = window.menuBar().actions()[-1]
    window.menuBar().insertMenu(help_entry, nodes.menu)
    _add_graph(window)
    yield
    _add_bars(window)
    yield
    context = partial(
        PanelContext,
        state=state,
        session=parts[Session],
        background=parts[Background],
        actions=window.commands,
        requests=requests,
        window=window,
        parts=parts,
    )
    in_front, behind = build_order(panel_specs())
    yield from _add_panels(in_front, window, context)
    # Before the other panels, which react to the end of a run after it has been shown.
    _add_controllers(window)
    yield
    _add_file_controllers(window)
    yield
    from gradviz.viewer.window.window_content import WindowContent

    window.content = WindowContent(window)
    yield
    # A stored layout may have brought some of them to the front.
    behind.sort(key=lambda spec: not window.docks.is_in_front(spec.name))
    yield from _add_panels(behind, window, context)


def _add_panels(
    specs: Iterable[PanelSpec], window: MainWindow, context: Callable[..., PanelContext]
) -> Iterator[None]:
    for spec in specs:
        panel = build_panel(spec, context(dock=window.docks[spec.name]))
        if panel is not None:
            window.docks.fill(spec.name, panel)
        yield


def _add_graph(window: MainWindow) -> None:
    from gradviz.viewer.canvas.graph_panel import GraphPanel
    from gradviz.viewer.canvas.interaction.graph_menu import GraphMenu
    from gradviz.viewer.presenter.presenter_area import PresenterArea
    from gradviz.viewer.training.graph_page import GraphPage
    from gradviz.viewer.training.panel import TrainingPanel
    from gradviz.viewer.window.previous_run_overlay import PreviousRunOverlay

    parts, commands = window.parts, window.commands
    state = parts[ViewerState]
    graph = parts.add(GraphPanel(state, parts[ViewRequests], parts[Background], commands))
    GraphMenu(state, graph, commands, parts[NodeCommands])
    training = parts.add(TrainingPanel(state, commands, parts[Background]))
    window.tabs.addWidget(parts.add(GraphPage(graph, training)))
    window.centre.removeWidget(window.tabs)
    window.centre.addWidget(area := parts.add(PresenterArea(window.tabs)), 1)
    graph.place_below_messages(area)
    parts.add(PreviousRunOverlay(state, window.tabs))


def _add_bars(window: MainWindow) -> None:
    from gradviz.viewer.commands.step_commands import StepCommands
    from gradviz.viewer.find.controller import FindController
    from gradviz.viewer.session.work_status import WorkStatus
    from gradviz.viewer.timeline.panel import TimelineMenu, TimelinePanel
    from gradviz.viewer.window.status_bar import WindowStatusBar

    commands, parts = window.commands, window.parts
    state, requests, background = parts[ViewerState], parts[ViewRequests], parts[Background]
    timeline = parts.add(TimelinePanel(state, commands, background))
    TimelineMenu(state, requests, timeline.bar, commands)
    window.bottom.addWidget(timeline)
    StepCommands(state, commands, window)
    window.bottom.setMinimumHeight(0)
    work = parts.add(WorkStatus(state, parts[Session], window))
    work.stoppable_changed.connect(commands.stop.setEnabled)
    status = parts.add(WindowStatusBar(state, parts[Session]))
    timeline.place_status(status, status.facts)
    status.shown.connect(timeline.hide_where)
    status.details_changed.connect(timeline.where.setToolTip)
    find = parts.add(FindController(state, requests, background, commands, window))
    window.top.place_right(find.home)


def _add_controllers(window: MainWindow) -> None:
    from gradviz.viewer.commands.controller import CommandController
    from gradviz.viewer.commands.link_commands import LinkCommands
    from gradviz.viewer.compare.launcher import CompareLauncher
    from gradviz.viewer.inputs.declaration_controller import DeclarationController
    from gradviz.viewer.inputs.form import InputsForm
    from gradviz.viewer.ranks.controller import RankController
    from gradviz.viewer.session.changed_file import ChangedFile
    from gradviz.viewer.session.check_controller import CheckController, CheckRepeater
    from gradviz.viewer.session.run_controller import DepthController, RunController
    from gradviz.viewer.session.script_controller import ScriptController
    from gradviz.viewer.session.trace_follower import TraceFollower
    from gradviz.viewer.session.view_navigator import ViewNavigator
    from gradviz.viewer.timeline.panel import TimelinePanel
    from gradviz.viewer.window.status_bar import WindowStatusBar

    commands, messages, parts = window.commands, window.messages, window.parts
    state, session, background = parts[ViewerState], parts[Session], parts[Background]
    requests = parts[ViewRequests]
    panels = (window.library, parts[InputsForm], window.top, messages)
    file = parts.add(ChangedFile(state, session, window))
    ScriptController(session, commands, panels[:2], requests, window)
    run = parts.add(RunController(state, session, commands, panels, file, window))
    navigator = parts.add(ViewNavigator(state, session, requests, run, window))
    navigator.message_emitted.connect(messages.say)
    messages.page_requested.connect(requests.show_page)
    timeline = parts[TimelinePanel]
    RankController(state, session, background, commands, (timeline, navigator), window)
    parts.add(LinkCommands(state, session, commands, (window.top, messages), window))
    DeclarationController(state, session, parts[InputsForm], commands.run, messages, window)
    DepthController(state.preferences, commands, window)
    parts.add(CheckController(state, session, background, requests, window.tabs, window))
    CheckRepeater(state, session, window).message_emitted.connect(run.say_ending)
    follower = parts.add(TraceFollower(state, session, background, window))
    follower.changed.connect(parts[WindowStatusBar].show_recording)
    follower.message_emitted.connect(messages.say)
    window_widgets = (window.top, window.tabs, messages)
    parts.add(CompareLauncher(state, session, background, commands, window_widgets, window))
    run_scene, remember = requests.run_scene, window.remembers
    keys = parts.add(CommandController(state, commands, run_scene, window, remember=remember))
    keys.refused.connect(parts[WindowStatusBar].say)
    window.top.tab_changed.connect(keys.end_refusal)


def _add_file_controllers(window: MainWindow) -> None:
    from gradviz.viewer.compare.launcher import CompareLauncher
    from gradviz.viewer.files.close_confirmation import CloseConfirmation
    from gradviz.viewer.files.controller import FileController
    from gradviz.viewer.files.file_drop import FileDrop
    from gradviz.viewer.files.recent_controller import RecentFilesController
    from gradviz.viewer.files.recent_files import RecentFiles
    from gradviz.viewer.files.rerun_controller import RerunController
    from gradviz.viewer.inputs.form import InputsForm
    from gradviz.viewer.session.first_run import FirstRun
    from gradviz.viewer.session.run_controller import RunController
    from gradviz.viewer.window.first_hint import FirstHint

    commands, messages, parts = window.commands, window.messages, window.parts
    state, session, background = parts[ViewerState], parts[Session], parts[Background]
    run = parts[RunController]
    parts.add(FirstRun(session, run, parts[InputsForm], state.preferences, window))
    controllers = run, parts[CompareLauncher]
    files = FileController(state, session, background, commands, controllers, messages, window)
    parts.add(CloseConfirmation(session, parts.add(files), state.preferences, window))
    heard = (window.recent_menu, window.library, messages)
    parts.add(RecentFilesController(parts[RecentFiles], session, run, heard, window))
    parts.add(RerunController(state.preferences, session, background, run, commands.watch, window))
    parts.add(FileDrop(window, state.theme))
    parts.add(FirstHint(state, commands, messages, window))
