"""Builds the Lessons panel with the player, its bar and its commands."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gradviz.lesson.lesson import LessonStop
from gradviz.viewer.arithmetic.arithmetic_steps import ArithmeticSteps
from gradviz.viewer.commands.link_commands import LinkCommands
from gradviz.viewer.files.recent_controller import RecentFilesController
from gradviz.viewer.lesson.controller import LessonController
from gradviz.viewer.lesson.lesson_bar import LessonBar
from gradviz.viewer.lesson.lesson_editor import LessonEditor
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.lesson.panel import LessonPanel
from gradviz.viewer.lesson.run_embedder import RunEmbedder
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.session.view_navigator import ViewNavigator
from gradviz.viewer.widgets.focus_ring import focus_reason


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel, and put the bar above the central tabs."""
    parts, window = context.parts, context.window
    run = parts[RunController]
    player = parts.add(
        LessonPlayer(
            context.state,
            context.session,
            context.requests,
            (run, parts[ViewNavigator]),
            window,
        )
    )
    control = parts.add(LessonController(context, player))
    run.lesson_requested.connect(control.open)
    control.opened.connect(parts[RecentFilesController].add)
    arithmetic = parts[ArithmeticSteps]
    for changed in (player.lesson_changed, player.stop_changed):
        changed.connect(lambda _: arithmetic.follow_lesson(_element_of(player.stop)))
    bar = parts.add(LessonBar(context.state, player, context.actions))
    window.centre.insertWidget(1, bar)
    editor = parts.add(
        LessonEditor(context.state, context.session, player, parts[LinkCommands], window)
    )
    editor.failed.connect(lambda sentence: window.messages.say(sentence, "error"))
    context.actions.add_stop.triggered.connect(editor.add_view)
    embedder = parts.add(RunEmbedder(player, editor, context.actions, window))
    embedder.reported.connect(window.messages.say)
    panel = LessonPanel(context.state, player, editor)
    panel.lesson_requested.connect(control.open_shipped)

    def show_overview() -> None:
        window.show_part("lesson")
        panel.list.setFocus(focus_reason(bar.overview))

    bar.overview_requested.connect(show_overview)
    return parts.add(panel)


def _element_of(stop: LessonStop | None) -> tuple[int, str] | None:
    return None if stop is None else (stop.number, stop.arithmetic)
