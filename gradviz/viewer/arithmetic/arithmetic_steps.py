"""Lets the clicker show the arithmetic of telling elements before it goes to the next step."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction

from gradviz.analysis.arithmetic.telling_elements import (
    TensorElement,
    named_element,
    telling_elements,
)
from gradviz.viewer.arithmetic.controller import ArithmeticController
from gradviz.viewer.click_sequence import BuildSteps
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import ElementRef


class ArithmeticSteps(QObject, BuildSteps):
    """The arithmetic of the current step, one element after the other.

    In Presenter Mode, the elements are chosen. In a lesson, there is only the one that the stop
    names, and it is also shown in the window.

    Args:
        state: The viewer state.
        controller: Finds the arithmetic.
        action: The command that turns the chosen elements on and off.
        parent: The parent object.
    """

    def __init__(
        self,
        state: ViewerState,
        controller: ArithmeticController,
        action: QAction,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state, self._controller = state, controller
        self._graph_is_in_front = True
        self._lesson: tuple[int, str] | None = None
        self._elements: tuple[TensorElement, ...] | None = None
        self._shown: ElementRef | None = None
        action.setCheckable(True)
        action.setChecked(state.preferences.arithmetic)
        action.toggled.connect(self._on_action_toggled)
        for changed in (
            state.place_changed,
            state.revealed_changed,
            state.lineage_changed,
            state.presentation.presenting_changed,
            state.presentation.values_covered_changed,
        ):
            changed.connect(self._start)
        state.clicks.add(self)

    def follow_lesson(self, stop: tuple[int, str] | None) -> None:
        """Show only what a lesson's stop names.

        Args:
            stop: Number of the stop's step and name of the element, empty for none; None if no
                lesson is played.
        """
        if stop != self._lesson:
            self._lesson = stop
            self._start()

    @Slot(str)
    def show_tab(self, name: str) -> None:
        """Show arithmetic only with the graph, not with the other central tabs."""
        self._graph_is_in_front = name == "graph"
        self._start()

    @property
    def count(self) -> int:
        """Number of elements, and one for the beginning without arithmetic."""
        return 1 + len(self._found())

    def go_to(self, at: int) -> None:
        """Show the arithmetic of an element, from 1; none for 0."""
        self.at = at
        element = None
        if at:
            tensor, index = self._found()[at - 1]
            element = ElementRef(tensor=tensor, index=index)
        self._shown = element
        self._state.pin(element)

    def _found(self) -> tuple[TensorElement, ...]:
        """The elements of the current place; computed once for each."""
        if self._elements is None:
            self._elements = self._find()
        return self._elements

    def _find(self) -> tuple[TensorElement, ...]:
        state, finder = self._state, self._controller.finder()
        index, place = state.index, state.place
        if index is None or place is None or finder is None or not self._graph_is_in_front:
            return ()
        if state.revealed.hides_answer or state.presentation.values_covered:
            return ()
        if self._lesson is not None:
            number, text = self._lesson
            found = named_element(index, finder, place, text) if number == place.step else None
            return () if found is None else (found,)
        if state.presentation.presenting and state.preferences.arithmetic:
            return telling_elements(index, finder, place)
        return ()

    def _start(self) -> None:
        """Forget the elements of the previous place, and take their arithmetic away."""
        self._elements, self.at = None, 0
        shown, self._shown = self._shown, None
        if shown is not None and shown == self._state.element:
            self._state.pin(None)
        self._state.clicks.announce()

    @Slot(bool)
    def _on_action_toggled(self, checked: bool) -> None:
        self._state.preferences.set_arithmetic(checked)
        self._start()
