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
        actions.undo: _tr("no input was edited"),
        actions.redo: _tr("no edit was undone"),
        actions.reset: _tr("the inputs are as they were at first"),
        actions.next: _tr("there is no later step"),
        actions.last: _tr("there is no later step"),
        actions.previous: _tr("there is no earlier step"),
        actions.first: _tr("there is no earlier step"),
        actions.play: _tr("there are no steps to play"),
    }


def _tr(text: str) -> str:
    return QCoreApplication.translate("Reasons", text)
