"""The commands of a node: go to its steps, follow its gradients, copy its name."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from gradviz.analysis.index.node_steps import execution_step, sending_steps, steps_of
from gradviz.analysis.index.step_queries import node_at_step
from gradviz.catalogue.language import format_count
from gradviz.viewer.actions import Actions
from gradviz.viewer.state import ViewerState
from gradviz.viewer.view_requests import ViewRequests

MOST_LISTED = 20
"""Maximum number of nodes in a submenu; a leaf may have hundreds of users."""


class NodeCommands(QObject):
    """Carries out the commands of the Node menu.

    They apply to the selected node, or else to the node of the current step.
    """

    def __init__(
        self, state: ViewerState, requests: ViewRequests, actions: Actions, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._requests = requests
        self._actions = actions
        self.menu = QMenu(self.tr("&Node"), parent)
        self._sources = QMenu(self.tr("Select Where Its Gradient Comes &From"), self.menu)
        self._targets = QMenu(self.tr("Select Where Its Gradients G&o"), self.menu)
        self.what_if = QMenu(self.tr("&What If"), self.menu)
        self.fill(self.menu)
        actions.go_made.triggered.connect(self._on_go_made_triggered)
        actions.go_executed.triggered.connect(self._on_go_executed_triggered)
        actions.go_sender.triggered.connect(self._on_go_sender_triggered)
        actions.copy_name.triggered.connect(self._on_copy_name_triggered)
        self._sources.aboutToShow.connect(self._on_sources_about_to_show)
        self._targets.aboutToShow.connect(self._on_targets_about_to_show)
        state.trace_changed.connect(self._on_state_changed)
        state.selection_changed.connect(self._on_state_changed)
        state.step_changed.connect(self._on_state_changed)
        self._on_state_changed(None)

    @property
    def node(self) -> int | None:
        """The node that the commands apply to; None if there is none."""
        index = self._state.index
        if index is None or self._state.selection is not None:
            return self._state.selection
        return node_at_step(index, self._state.number)

    def fill(self, menu: QMenu) -> None:
        """Add the entries of the Node menu to another one, which shares its submenus."""
        gradients = [self._sources.menuAction(), self._targets.menuAction()]
        others = {"gradients": gradients, "changes": [self.what_if.menuAction()]}
        self._actions.node.fill(menu, others)

    def steps(self, node: int) -> tuple[int, ...]:
        """Return the numbers of the steps that create or execute a node, ascending."""
        index = self._state.index
        return () if index is None else steps_of(index, node)

    def name(self, node: int) -> str:
        """Return a node's display name; for a leaf, the variable's name."""
        index = self._state.index
        if index is None:
            return ""
        record = index.node[node]
        return record.variable_name or record.name.removeprefix("torch::autograd::")

    def _users(self) -> list[int]:
        """Return the nodes whose backward produces gradients for the node."""
        index, node = self._state.index, self.node
        if index is None or node is None:
            return []
        return list(dict.fromkeys(edge.source for edge in index.arriving.get(node, ())))

    def _inputs(self) -> list[int]:
        """Return the nodes that receive the node's gradients."""
        index, node = self._state.index, self.node
        if index is None or node is None:
            return []
        return list(dict.fromkeys(edge.target for edge in index.leaving.get(node, ())))

    def _list(self, menu: QMenu, nodes: Iterable[int]) -> None:
        menu.clear()
        nodes = list(nodes)
        for node in nodes[:MOST_LISTED]:
            action = menu.addAction(_short(self.name(node)))
            action.triggered.connect(partial(self._request_node, node))
        if len(nodes) > MOST_LISTED:
            more = self.tr("and {0} more: use Find to list them").format(
                format_count(len(nodes) - MOST_LISTED)
            )
            menu.addAction(more).setEnabled(False)

    def _request_node(self, node: int, checked: bool = False) -> None:
        self._requests.show_node(node)

    def _go_to(self, number: int | None) -> None:
        """Go to a step and select its node."""
        index = self._state.index
        if index is None or number is None:
            return
        self._state.go_to(number)
        node = node_at_step(index, number)
        if node is not None:
            self._requests.show_node(node)

    def _visit(self) -> int | None:
        index, node = self._state.index, self.node
        if index is None or node is None:
            return None
        return execution_step(index, node, self._state.number)

    def _senders(self) -> tuple[int, ...]:
        index, node = self._state.index, self.node
        if index is None or node is None:
            return ()
        return sending_steps(index, node, self._state.number)

    def _on_state_changed(self, what: object) -> None:
        index, node = self._state.index, self.node
        made = index is not None and node in index.made_at
        self._actions.go_made.setEnabled(made)
        self._actions.go_executed.setEnabled(self._visit() is not None)
        self._actions.go_sender.setEnabled(bool(self._senders()))
        self._actions.copy_name.setEnabled(node is not None)
        self._sources.setEnabled(bool(self._users()))
        self._targets.setEnabled(bool(self._inputs()))
        self.what_if.setEnabled(node is not None)

    def _on_go_made_triggered(self) -> None:
        index, node = self._state.index, self.node
        if index is not None and node is not None:
            self._go_to(index.made_at.get(node))

    def _on_go_executed_triggered(self) -> None:
        self._go_to(self._visit())

    def _on_go_sender_triggered(self) -> None:
        # For an accumulated gradient, take the last contribution; repeating goes further back.
        self._go_to(next(reversed(self._senders()), None))

    def _on_copy_name_triggered(self) -> None:
        if self.node is not None:
            QGuiApplication.clipboard().setText(self.name(self.node))

    def _on_sources_about_to_show(self) -> None:
        self._list(self._sources, self._users())

    def _on_targets_about_to_show(self) -> None:
        self._list(self._targets, self._inputs())


def _short(name: str) -> str:
    line = " ".join(name.split())
    cut = line if len(line) <= 60 else f"{line[:59]}…"
    return cut.replace("&", "&&")
