"""Look up which steps may have written to a storage, without decoding all steps each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from gradviz.model.columns import ACCUMULATE, OPTIMIZER, StepColumns, TensorColumns
from gradviz.model.function_call import FunctionCall
from gradviz.model.inside import Inside
from gradviz.model.item import Item
from gradviz.model.step import AccumulateStep, ForwardStep, OptimizerStep, Step

_POLLED: int = 256
"""Number of steps after which a search asks whether it is cancelled."""


class WrittenStorages:
    """The steps that may have written to each storage, collected at the first query."""

    def __init__(
        self,
        steps: Sequence[Step],
        columns: StepColumns,
        tensors: TensorColumns,
        calls: Mapping[int, FunctionCall],
        inside: Mapping[int, Inside],
    ) -> None:
        """Use these parts of a `TraceIndex`."""
        self._steps = steps
        self._columns = columns
        self._tensors = tensors
        self._calls = calls
        self._inside = inside
        self._found: dict[int, list[int]] | None = None

    def steps_of(self, storage: int, cancelled: Callable[[], bool] = bool) -> Sequence[int]:
        """Numbers of the steps, ascending; a few of them may not have written after all.

        Args:
            storage: Number of the storage.
            cancelled: Called from time to time; if it returns True, the result is empty.
        """
        if self._found is None:
            self._found = self._search(cancelled)
        return () if self._found is None else self._found.get(storage, ())

    def _search(self, cancelled: Callable[[], bool]) -> dict[int, list[int]] | None:
        tensors = self._tensors
        storage_of = dict(zip(tensors.ids.tolist(), tensors.storages.tolist(), strict=True))
        dirty = [each.id for each in self._calls.values() if each.dirty]
        kinds = self._columns.kinds
        wanted = (kinds == ACCUMULATE) | (kinds == OPTIMIZER) | np.isin(self._columns.calls, dirty)
        numbers = np.union1d(np.flatnonzero(wanted) + 1, np.array(list(self._inside), np.int64))
        found: dict[int, list[int]] = {}
        for at, number in enumerate(numbers.tolist()):
            if at % _POLLED == 0 and cancelled():
                return None
            written = {storage_of.get(item.tensor or 0, 0) for item in self._written(number)}
            for storage in written - {0}:
                found.setdefault(storage, []).append(number)
        return found

    def _written(self, number: int) -> Iterator[Item]:
        step = self._steps[number - 1]
        if isinstance(step, AccumulateStep):
            yield step.total
        elif isinstance(step, OptimizerStep):
            yield from step.after
        elif isinstance(step, ForwardStep) and step.call is not None:
            yield from step.outputs
        inside = self._inside.get(number)
        for part in () if inside is None else inside.parts:
            for op in part.ops:
                yield from (op.inputs[each] for each in op.writes if each < len(op.inputs))
