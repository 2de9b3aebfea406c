"""Builds the menu bar."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMenu, QMenuBar

from gradviz.viewer.actions import Actions
from gradviz.viewer.translation import translate


def fill_menu_bar(
    bar: QMenuBar, actions: Actions, recent: QMenu, docks: Sequence[QDockWidget]
) -> QAction:
    """Add all menus except Node; return the Help entry, before which Node is inserted."""
    file = bar.addMenu(translate("Menus", "&File"))
    _add(file, actions.new_window, actions.open, actions.open_elsewhere, recent.menuAction(), None)
    _add(file, actions.save)
    _add(file, None, actions.export_page, actions.export_graph)
    _add(file, actions.export_film, actions.export_tensors)
    _add(file, None, actions.settings, None)
    _add(file, actions.close, actions.quit)
    edit = bar.addMenu(translate("Menus", "&Edit"))
    _add(edit, actions.undo, actions.redo, None, actions.reset)
    _add(edit, None, actions.find, actions.find_next, actions.find_previous)
    _add(edit, actions.find_origin, actions.show_history)
    _add(edit, None, actions.copy_link, None, actions.edit_here, actions.edit_source)
    view = bar.addMenu(translate("Menus", "&View"))
    _add(view, actions.show_graph, actions.show_jacobians, actions.show_compare, None)
    themes = view.addMenu(translate("Menus", "&Theme"))
    _add(themes, *actions.themes.actions())
    panels = view.addMenu(translate("Menus", "&Panels"))
    _add(panels, *(dock.toggleViewAction() for dock in docks))
    _add(view, actions.restore, None, actions.larger, actions.smaller, None)
    _add(view, actions.zoom_in, actions.zoom_out, actions.full_size)
    _add(view, actions.fit, actions.centre)
    graph = view.addMenu(translate("Menus", "&Graph"))
    _add(graph, actions.open_group, actions.close_group, actions.fold_all)
    _add(graph, actions.describe, None)
    _add(graph, actions.legend, actions.minimap, actions.animate)
    _fill_presentation(view, actions)
    run = bar.addMenu(translate("Menus", "&Run"))
    _add(run, actions.run, actions.run_as_script, actions.stop, None, actions.watch, None)
    _add(run, actions.run_changed, actions.back_to_original)
    _add(run, actions.next_difference, actions.mark_differences, None)
    _add(
        run,
        actions.compare_with,
        actions.next_compare_difference,
        actions.previous_compare_difference,
    )
    _add(run, None, *actions.depths.actions(), actions.record_lines)
    _fill_step(bar.addMenu(translate("Menus", "&Step")), actions)
    _fill_lesson(bar.addMenu(translate("Menus", "&Lesson")), actions, docks)
    about = bar.addMenu(translate("Menus", "&Help"))
    _add(about, actions.show_guide, None, actions.show_commands, actions.show_keys)
    _add(about, None, actions.about)
    return about.menuAction()


def _fill_step(step: QMenu, actions: Actions) -> None:
    _add(step, actions.next, actions.previous, None, actions.first, actions.last)
    _add(step, None, actions.into, actions.out, None)
    _add(step, *actions.levels.actions(), None, actions.play)
    speeds = step.addMenu(translate("Menus", "Playba&ck Speed"))
    _add(speeds, *actions.speeds.actions())
    _add(step, None)
    _add(step, actions.next_rank, actions.previous_rank, None)
    breakpoints = step.addMenu(translate("Menus", "&Breakpoints"))
    _add(
        breakpoints,
        actions.run_to_next_breakpoint,
        actions.run_to_previous_breakpoint,
        None,
        actions.toggle_breakpoint,
    )
    _add(breakpoints, actions.clear_breakpoints)


def _fill_lesson(lesson: QMenu, actions: Actions, docks: Sequence[QDockWidget]) -> None:
    # Where someone looks for a lesson to open.
    _add(lesson, *(each.toggleViewAction() for each in docks if each.objectName() == "lesson"))
    _add(lesson, None, actions.next_stop, actions.previous_stop, None, actions.speaker_view, None)
    _add(lesson, actions.add_stop, actions.embed_runs, actions.remove_runs, None)
    _add(lesson, actions.leave_lesson)


def _fill_presentation(view: QMenu, actions: Actions) -> None:
    _add(view, None, actions.present, actions.present_on, actions.quiz_mode, actions.hide_answers)
    _add(view, actions.arithmetic, actions.pen, actions.spotlight, actions.black)
    _add(view, actions.full_screen)


def _add(menu: QMenu, *entries: QAction | None) -> None:
    for entry in entries:
        if entry is None:
            menu.addSeparator()
        else:
            menu.addAction(entry)
