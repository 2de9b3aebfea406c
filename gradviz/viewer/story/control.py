"""Commands that look up the origin or the history of a value."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QDockWidget, QWidget

from gradviz.viewer.actions import Actions
from gradviz.viewer.sights import Sight, Suspect
from gradviz.viewer.state import ViewerState
from gradviz.viewer.story.suspects import node_of, suspect_of_node


class StoryControl(QObject):
    """Connects the commands, the state and the dock."""

    def __init__(
        self, state: ViewerState, actions: Actions, dock: QDockWidget, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._actions = actions
        self._dock = dock
        actions.find_origin.triggered.connect(self._on_find_origin_triggered)
        actions.show_history.triggered.connect(self._on_show_history_triggered)
        actions.find_node_origin.triggered.connect(self._on_find_node_origin_triggered)
        state.origin_sought.connect(self._on_state_sought)
        state.history_sought.connect(self._on_state_sought)
        state.element_changed.connect(self._on_state_changed)
        state.selection_changed.connect(self._on_state_changed)
        state.place_changed.connect(self._on_state_changed)
        state.trace_changed.connect(self._on_state_changed)
        state.concealment_changed.connect(self._on_state_changed)
        self._on_state_changed(None)

    @Slot()
    def _on_find_origin_triggered(self) -> None:
        """Look up the origin of the pinned element, or of the first bad value in the run."""
        element = self._state.element
        suspect: Suspect | None = None
        if element is not None:
            suspect = Suspect(
                tensor=element.tensor,
                name=self._name(element.tensor),
                step=self._state.number,
                index=element.index,
            )
        self._state.seek_origin(suspect)

    @Slot()
    def _on_find_node_origin_triggered(self) -> None:
        """Look up the origin of the first non-finite tensor of the node."""
        index, node = self._state.index, self._node()
        if index is not None and node is not None:
            suspect = suspect_of_node(index, node, self._state.told)
            if suspect is not None:
                self._state.seek_origin(suspect)

    def _node(self) -> int | None:
        return node_of(self._state.index, self._state.selection, self._state.number)

    @Slot()
    def _on_show_history_triggered(self) -> None:
        """Show the history of the tensor whose element is pinned."""
        element = self._state.element
        if element is not None:
            name = self._name(element.tensor)
            sight = Sight(tensor=element.tensor, name=name, step=self._state.number)
            self._state.seek_history(sight)

    def _name(self, tensor: int) -> str:
        lineage = self._state.lineage
        first = None if lineage is None else lineage.first.get(tensor)
        return self.tr("tensor {number}").format(number=tensor) if first is None else first.name

    @Slot(object)
    def _on_state_sought(self, what: object) -> None:
        self._dock.show()
        self._dock.raise_()

    @Slot(object)
    def _on_state_changed(self, what: object) -> None:
        known = self._state.index is not None and not self._state.concealed
        self._actions.find_origin.setEnabled(known)
        self._actions.find_node_origin.setEnabled(known and self._node() is not None)
        self._actions.show_history.setEnabled(known and self._state.element is not None)
