"""Why a command cannot be used whenever it cannot."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction

from gradviz.viewer.actions import Actions


def reasons_of(actions: Actions) -> dict[QAction, str]:
    """A phrase for each command that is not always there."""
    nothing = _tr("nothing is shown yet")
    return {
        actions.save: nothing,
        actions.export_svg: nothing,
        actions.export_dot: nothing,
        actions.run: _tr("the inputs are not complete"),
        actions.cancel: _tr("nothing is under way"),
        actions.record_lines: _tr("the inputs are not complete"),
        actions.run_changed: _tr("no change is switched on"),
        actions.back_to_original: _tr("this is no changed run"),
        actions.next_difference: _tr("there is no other run, or nothing differs"),
        actions.mark_differences: _tr("there is no other run, or nothing differs"),
        actions.next_apart: _tr("nothing is compared, or nothing differs"),
        actions.previous_apart: _tr("nothing is compared, or nothing differs"),
        actions.undo: _tr("no input was edited"),
        actions.redo: _tr("no edit was undone"),
        actions.reset: _tr("the inputs are as they were at first"),
        actions.edit_source: _tr("the file of the source is not on this machine"),
        actions.next: _tr("there is no later step"),
        actions.last: _tr("there is no later step"),
        actions.previous: _tr("there is no earlier step"),
        actions.first: _tr("there is no earlier step"),
        actions.play: _tr("there are no steps to play"),
        actions.into: _tr("nothing finer was recorded here"),
        actions.out: _tr("this is the outermost level"),
        actions.toggle_breakpoint: _tr("no node is selected, and the step is about none"),
        actions.clear_breakpoints: _tr("no breakpoint is set"),
        actions.run_on: _tr("no breakpoint is met from here on"),
        actions.run_back: _tr("no breakpoint was met before"),
        actions.run_here: _tr("no later step is about the node"),
        actions.open_group: _tr("the node is no folded group"),
        actions.close_group: _tr("the node is in no group that was opened"),
        actions.fold_all: _tr("no group was opened"),
        actions.black: _tr("only while presenting"),
        actions.go_made: _tr("no step is known that made the node"),
        actions.go_executed: _tr("no step executes the node"),
        actions.go_sender: _tr("no gradient reaches the node"),
        actions.find_origin: _tr("nothing is shown yet, or it is still to be guessed"),
        actions.find_node_origin: _tr("no node is selected, and the step is about none"),
        actions.show_history: _tr("no element of a tensor is pinned"),
        actions.copy_name: _tr("no node is selected"),
    }


def _tr(text: str) -> str:
    return QCoreApplication.translate("Reasons", text)
