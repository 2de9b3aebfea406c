"""Reasons why commands are disabled, shown in the command palette."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction

from gradviz.viewer.actions import Actions


def reasons_of(actions: Actions) -> dict[QAction, str]:
    """Return a reason for each command that can be disabled."""
    nothing = _tr("there is no run to show yet")
    return {
        actions.save: nothing,
        actions.export_svg: nothing,
        actions.export_dot: nothing,
        actions.run: _tr("the inputs are incomplete"),
        actions.cancel: _tr("nothing is running"),
        actions.record_lines: _tr("the inputs are incomplete"),
        actions.run_changed: _tr("no change is enabled"),
        actions.back_to_original: _tr("this is the original run"),
        actions.next_difference: _tr("there is no other run, or no differences"),
        actions.mark_differences: _tr("there is no other run, or no differences"),
        actions.next_apart: _tr("nothing is compared, or no differences"),
        actions.previous_apart: _tr("nothing is compared, or no differences"),
        actions.undo: _tr("no inputs have been edited"),
        actions.redo: _tr("nothing to redo"),
        actions.reset: _tr("the inputs have their default values"),
        actions.edit_source: _tr("the source file is not on this machine"),
        actions.next: _tr("this is the last step"),
        actions.last: _tr("this is the last step"),
        actions.previous: _tr("this is the first step"),
        actions.first: _tr("this is the first step"),
        actions.play: _tr("there are no steps to play"),
        actions.into: _tr("no finer level was recorded here"),
        actions.out: _tr("this is the outermost level"),
        actions.toggle_breakpoint: _tr("no node is selected, and the step has none"),
        actions.clear_breakpoints: _tr("there are no breakpoints"),
        actions.run_on: _tr("no later step hits a breakpoint"),
        actions.run_back: _tr("no earlier step hits a breakpoint"),
        actions.run_here: _tr("no later step involves the node"),
        actions.open_group: _tr("the node is not a closed group"),
        actions.close_group: _tr("the node is not in an opened group"),
        actions.fold_all: _tr("there are no opened groups"),
        actions.black: _tr("only in Presenter Mode"),
        actions.go_made: _tr("the step that created the node is unknown"),
        actions.go_executed: _tr("no step executes the node"),
        actions.go_sender: _tr("no gradient reaches the node"),
        actions.find_origin: _tr("there is no run to show yet, or Quiz Mode hides the answer"),
        actions.find_node_origin: _tr("no node is selected, and the step has none"),
        actions.show_history: _tr("no tensor element is pinned"),
        actions.copy_name: _tr("no node is selected"),
    }


def _tr(text: str) -> str:
    return QCoreApplication.translate("Reasons", text)
