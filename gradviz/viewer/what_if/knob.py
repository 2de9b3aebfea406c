"""A number of an input that is turned like a knob; the run is repeated with each new value."""

from __future__ import annotations

import math
from dataclasses import dataclass

from msgspec import structs
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction

from gradviz.analysis.compare.what_if_targets import Candidate
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.element_encoding import UnrepresentableNumberError
from gradviz.model.tensor import ITEM_SIZES, TensorValue
from gradviz.model.what_if import ChangeTarget, InputTarget, ParameterTarget
from gradviz.model.what_if_values import apply_change, can_set, change_between, element_bytes
from gradviz.viewer.state import ViewerState
from gradviz.viewer.what_if.change_list import ChangeList
from gradviz.viewer.what_if.run_repeater import RunRepeater
from gradviz.viewer.what_if.value_editor import OriginalValues

_NO_STEP = 0


@dataclass(frozen=True, slots=True)
class KnobElement:
    """An element of an input or parameter, the same in each of the repeated runs.

    Attributes:
        target: The input or parameter.
        position: Row-major position of the element.
    """

    target: ChangeTarget
    position: int


class Knob(QObject):
    """Turns one element at a time, and puts its value on the list of changes.

    Signals:
        changed: Another element is chosen, or none.
    """

    changed = Signal()

    def __init__(
        self,
        state: ViewerState,
        plan: ChangeList,
        finder: OriginalValues,
        runs: RunRepeater,
        back: QAction,
    ) -> None:
        super().__init__(plan)
        self._state = state
        self._plan, self._finder, self._runs, self._back = plan, finder, runs, back
        self._element: KnobElement | None = None
        self._is_late = False
        state.trace_changed.connect(self._on_state_trace_changed)

    @property
    def element(self) -> KnobElement | None:
        """The element that is turned; None if none is chosen."""
        return self._element

    def element_of(self, index: TraceIndex, tensor: int, position: int) -> KnobElement | None:
        """Find what a number in one of the runs is set by; None if it cannot be turned."""
        candidate = self._candidate(index, tensor)
        if candidate is None:
            return None
        return KnobElement(candidate.target, position)

    def choose(self, element: KnobElement | None) -> None:
        """Choose the element to turn; None for none."""
        if element != self._element:
            self._element = element
            self.changed.emit()

    def turn(self, by: int, *, is_final: bool = True) -> None:
        """Change the chosen element by steps that suit its recorded value, and repeat the run.

        Args:
            by: Number of steps, negative for smaller values.
            is_final: Whether no other value follows at once; a slow run waits for the final one.
        """
        original, current = self._values()
        if self._element is None or original is None or current is None:
            return
        place = self._element.position
        recorded = original.array().flat[place].item()
        step = step_size(recorded, is_integer="int" in original.dtype)
        # Counted from the recorded value, so that turning back arrives at it.
        count = round((current.array().flat[place].item() - recorded) / step) + by
        number = round(recorded + count * step, 12) if count else recorded
        size = ITEM_SIZES[original.dtype]
        data = bytearray(current.data)
        try:
            data[place * size : (place + 1) * size] = element_bytes(number, original.dtype)
        except UnrepresentableNumberError:
            return
        self._put(original, structs.replace(current, data=bytes(data)), is_final=is_final)

    def settle(self) -> None:
        """Repeat the run with the last value, if it has waited for this."""
        if self._is_late:
            self._repeat()

    def reset(self) -> None:
        """Go back to the recorded run."""
        self._is_late = False
        self._runs.cancel()
        self._plan.switch_all_off()
        self._back.trigger()

    def leave(self) -> None:
        """Choose no element, and go back to the recorded run."""
        self.reset()
        self.choose(None)

    def _candidate(self, index: TraceIndex, tensor: int) -> Candidate | None:
        # At a step of backward, what it has saved would hide that this is an input.
        for each in self._finder.of_run(index, tensor, _NO_STEP):
            if isinstance(each.target, InputTarget | ParameterTarget):
                subject = self._finder.subject(each)
                if subject is not None and subject.has_cells and _can_turn(subject.record.dtype):
                    return each
        return None

    def _values(self) -> tuple[TensorValue | None, TensorValue | None]:
        """The recorded value that the chosen element belongs to, and the value with changes."""
        element = self._element
        candidate = None if element is None else self._finder.of_target(element.target)
        subject = None if candidate is None else self._finder.subject(candidate)
        if subject is None or subject.value is None:
            return None, None
        change = next((each for each in self._plan.chosen if each.target == subject.target), None)
        value = subject.value
        return value, value if change is None else apply_change(change, value) or value

    def _put(self, original: TensorValue, value: TensorValue, *, is_final: bool) -> None:
        assert self._element is not None
        change = change_between(self._element.target, original, value)
        if change is None:
            self._plan.drop(self._element.target)
        else:
            self._plan.put(change)
        self._is_late = not is_final and self._runs.is_slow
        if not self._is_late:
            self._repeat()

    def _repeat(self) -> None:
        self._is_late = False
        offer, index = self._finder.offer, self._state.index
        if not self._plan.chosen:
            self.reset()
        elif offer is not None and index is not None:
            self._runs.repeat(offer, self._plan.chosen, index.trace.origin.level)

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        if index is None or (
            self._element and self._finder.of_target(self._element.target) is None
        ):
            self.choose(None)


def step_size(number: float, *, is_integer: bool = False) -> float:
    """By how much a number changes at once: half a unit of its first digit, or 1 and more.

    It is 0.5 for 2.0, 0.05 for 0.3 and 5 for 40.
    """
    unit = 1.0
    if number and math.isfinite(number):
        unit = 10.0 ** math.floor(math.log10(abs(number)))
    return max(1, int(unit / 2)) if is_integer else unit / 2


def _can_turn(dtype: str) -> bool:
    return can_set(dtype) and dtype != "bool" and not dtype.startswith("complex")
