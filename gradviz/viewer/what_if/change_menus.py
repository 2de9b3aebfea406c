"""Menus that list what can be changed: of a step, of a node, and behind a tensor."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QWidget

from gradviz.analysis.compare.what_if_targets import Candidate
from gradviz.model.what_if import ChangeTarget, InputTarget, ParameterTarget
from gradviz.text.what_if import target_name
from gradviz.viewer.commands.node_commands import NodeCommands
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import TensorRef
from gradviz.viewer.translation import translate
from gradviz.viewer.what_if.value_editor import OriginalValues

_MOST = 80


def entry_of(target: ChangeTarget) -> str:
    """Return the menu entry for something that can be changed."""
    match target:
        case InputTarget(name=name):
            text = translate("Changes", "argument {0}").format(name)
        case ParameterTarget(name=name):
            text = translate("Changes", "parameter {0}").format(name)
        case _:
            text = target_name(target)
    return menu_text(text)


def menu_text(text: str) -> str:
    """Shorten a text to one line and escape its ampersands for a menu."""
    line = " ".join(text.split())
    cut = line if len(line) <= _MOST else f"{line[: _MOST - 1]}…"
    return cut.replace("&", "&&")


class ChangeMenus(QObject):
    """Fills the What If menus when they open.

    Args:
        state: The state of the window.
        finder: Finds what can be changed.
        menus: The menu of the current step, and the commands with that of a node.
        owner: The parent widget of the menus.

    Signals:
        chosen: The `Candidate` to change.
        refused: A sentence on why something cannot be changed.
    """

    chosen = Signal(object)
    refused = Signal(str)

    def __init__(
        self,
        state: ViewerState,
        finder: OriginalValues,
        menus: tuple[QMenu, NodeCommands],
        owner: QWidget,
    ) -> None:
        super().__init__(owner)
        self._state = state
        self._finder = finder
        self._owner = owner
        of_step, nodes = menus
        of_step.aboutToShow.connect(partial(self._fill_step_menu, of_step))
        nodes.what_if.aboutToShow.connect(partial(self._fill_node_menu, nodes))

    def show_targets_of(self, ref: TensorRef) -> None:
        """Choose the changeable value behind a tensor, or say why there is none."""
        reason = self._reason()
        found = () if reason else self._finder.of_tensor(ref.tensor, ref.step)
        if reason:
            self._refuse(reason)
        elif not found:
            text = self.tr(
                "{0} cannot be changed directly. You can change inputs, parameters, "
                "saved tensors, and gradients passed from node to node."
            )
            self.refused.emit(text.format(ref.name))
        elif len(found) == 1:
            self.chosen.emit(found[0])
        else:
            self._ask(found)

    def _ask(self, candidates: tuple[Candidate, ...]) -> None:
        menu = QMenu(self._owner)
        menu.setAccessibleName(self.tr("Value to change"))
        self._fill(menu, candidates)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(QCursor.pos())

    def _reason(self) -> str:
        """Return why nothing can be changed at all; empty if something can."""
        if self._finder.offer is None:
            return self.tr("There is no code to run again: run a scene or a file first")
        if not self._state.revealed.is_complete:
            return self.tr("Quiz mode hides the values of some steps until you reveal them")
        return ""

    def _fill_step_menu(self, menu: QMenu) -> None:
        reason, found = self._reason(), self._finder.at_current_step()
        if not reason and not found:
            reason = self.tr("Nothing here can be changed")
        if reason:
            menu.clear()
            menu.addAction(reason).setEnabled(False)
        else:
            self._fill(menu, found)

    def _fill_node_menu(self, nodes: NodeCommands) -> None:
        reason = self._reason()
        found: tuple[Candidate, ...] = ()
        if not reason and nodes.node is not None:
            found = self._finder.of_node(nodes.node)
        self._fill(nodes.what_if, found)
        if not found:
            # The command palette explains disabled commands, so an empty menu explains itself too.
            why = nodes.what_if.addAction(self.tr("Why Is Nothing Listed?"))
            reason = reason or self.tr("The node saves no tensor and passes no gradient on")
            why.triggered.connect(partial(self._refuse, reason))

    def _fill(self, menu: QMenu, candidates: tuple[Candidate, ...]) -> None:
        menu.clear()
        for each in candidates:
            action = menu.addAction(entry_of(each.target))
            action.triggered.connect(partial(self._choose, each))

    def _choose(self, candidate: Candidate, checked: bool = False) -> None:
        self.chosen.emit(candidate)

    def _refuse(self, reason: str, checked: bool = False) -> None:
        self.refused.emit(self.tr("{0}.").format(reason))
