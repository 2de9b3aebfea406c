"""The long tables of a trace in columns: what is asked of all rows at once costs next to none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from gradviz.model.step import (
    AccumulateStep,
    ErrorStep,
    ForwardStep,
    NodeStep,
    PassBeginStep,
    PassEndStep,
    Step,
)
from gradviz.model.tensor import TensorRecord

Numbers = npt.NDArray[np.int64]

FORWARD: Final = 0
PASS_BEGIN: Final = 1
NODE: Final = 2
ACCUMULATE: Final = 3
PASS_END: Final = 4
ERROR: Final = 5

_KINDS: dict[type[Step], int] = {
    ForwardStep: FORWARD,
    PassBeginStep: PASS_BEGIN,
    NodeStep: NODE,
    AccumulateStep: ACCUMULATE,
    PassEndStep: PASS_END,
    ErrorStep: ERROR,
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepColumns:
    """What each step is about; entry ``n`` belongs to step ``n + 1``. 0 stands for none.

    Attributes:
        kinds: `FORWARD`, `PASS_BEGIN` ...
        passes: The pass that it belongs to.
        nodes: The node that is executed, made, or failed.
        calls: The custom Function's call of a forward step or an error.
        lines: The line of the source from which a forward step was called.
        several: Of the forward steps that made other nodes than one, all of them, by number.
    """

    kinds: npt.NDArray[np.int8]
    passes: Numbers
    nodes: Numbers
    calls: Numbers
    lines: Numbers
    several: Mapping[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TensorColumns:
    """What is asked of all tensors; entry ``n`` belongs to the ``n``-th record.

    Attributes:
        ids: Numbers in the trace, ascending.
        storages: Number of the memory; 0 where it has none.
    """

    ids: Numbers
    storages: Numbers


@runtime_checkable
class HasStepColumns(Protocol):
    """Steps that know their columns already, so that they need not all be made for them."""

    @property
    def step_columns(self) -> StepColumns:
        """The columns."""


@runtime_checkable
class HasTensorColumns(Protocol):
    """Records of tensors that know their columns already."""

    @property
    def tensor_columns(self) -> TensorColumns:
        """The columns."""


def step_columns(steps: Sequence[Step]) -> StepColumns:
    """The columns of steps."""
    if isinstance(steps, HasStepColumns):
        return steps.step_columns
    made = StepColumnsMaker()
    for step in steps:
        made.add(step)
    return made.columns()


def tensor_columns(tensors: Sequence[TensorRecord]) -> TensorColumns:
    """The columns of tensors."""
    if isinstance(tensors, HasTensorColumns):
        return tensors.tensor_columns
    return made_tensor_columns(
        [tensor.id for tensor in tensors], [tensor.storage for tensor in tensors]
    )


def made_tensor_columns(ids: Iterable[int], storages: Iterable[int | None]) -> TensorColumns:
    """Columns of what stands in the records."""
    return TensorColumns(
        ids=np.array(list(ids), np.int64),
        storages=np.array([storage or 0 for storage in storages], np.int64),
    )


class StepColumnsMaker:
    """Gathers the columns of steps that pass by one at a time."""

    def __init__(self) -> None:
        self._kinds: list[int] = []
        self._passes: list[int] = []
        self._nodes: list[int] = []
        self._calls: list[int] = []
        self._lines: list[int] = []
        self._several: dict[int, tuple[int, ...]] = {}

    def add(self, step: Step) -> None:
        """Takes in the next step."""
        node: int | None = None
        call: int | None = None
        line = 0
        match step:
            case NodeStep(node=node) | AccumulateStep(node=node):
                pass
            case ForwardStep(node=node, call=call, nodes=nodes, location=location):
                line = 0 if location is None else location.line
                if nodes != (node,) and nodes:
                    self._several[step.number] = nodes
            case ErrorStep(node=node, call=call):
                pass
        self._kinds.append(_KINDS[type(step)])
        self._passes.append(step.pass_id or 0)
        self._nodes.append(node or 0)
        self._calls.append(call or 0)
        self._lines.append(line)

    def columns(self) -> StepColumns:
        """The columns of all steps up to now."""
        return StepColumns(
            kinds=np.array(self._kinds, np.int8),
            passes=np.array(self._passes, np.int64),
            nodes=np.array(self._nodes, np.int64),
            calls=np.array(self._calls, np.int64),
            lines=np.array(self._lines, np.int64),
            several=self._several,
        )
