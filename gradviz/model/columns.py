"""The long tables of a trace in columns: what is asked of all rows at once costs next to none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from gradviz.model.step import (
    AccumulateStep,
    DispatchStep,
    ErrorStep,
    ForwardStep,
    NodeStep,
    OptimizerStep,
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
DISPATCH: Final = 6
OPTIMIZER: Final = 7

NANS: Final = 1
INFINITIES: Final = 2

_KINDS: dict[type[Step], int] = {
    ForwardStep: FORWARD,
    PassBeginStep: PASS_BEGIN,
    NodeStep: NODE,
    AccumulateStep: ACCUMULATE,
    PassEndStep: PASS_END,
    ErrorStep: ERROR,
    DispatchStep: DISPATCH,
    OptimizerStep: OPTIMIZER,
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepColumns:
    """What each step is about; entry ``n`` belongs to step ``n + 1``. 0 stands for none.

    Attributes:
        kinds: `FORWARD`, `PASS_BEGIN` ...
        passes: The pass that it belongs to.
        nodes: The node that is executed, made, or failed.
        calls: The custom Function's call of a forward step or an error.
        lines: The line of the source from which a forward, dispatch or optimizer step was called.
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
        dtypes: Position of the dtype in ``words``.
        words: The dtypes that there are.
        unknown: Whether only its elements tell whether it has any that are not finite.
        told: Whether its record has statistics, of dtypes that have values that are not finite.
        untold: Whether neither record nor elements tell, of the same dtypes.
        flags: `NANS` and `INFINITIES`, as its record tells.
    """

    ids: Numbers
    storages: Numbers
    dtypes: Numbers
    words: tuple[str, ...]
    unknown: npt.NDArray[np.bool_]
    told: npt.NDArray[np.bool_]
    untold: npt.NDArray[np.bool_]
    flags: npt.NDArray[np.int8]


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
    made = TensorColumnsMaker()
    for tensor in tensors:
        made.add(tensor)
    return made.columns()


class TensorColumnsMaker:
    """Gathers the columns of tensors that pass by one at a time."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self._storages: list[int] = []
        self._codes: dict[str, int] = {}
        self._dtypes: list[int] = []
        self._unknown: list[bool] = []
        self._told: list[bool] = []
        self._untold: list[bool] = []
        self._flags: list[int] = []

    def add(self, tensor: TensorRecord) -> None:
        """Takes in the next tensor."""
        self.ids.append(tensor.id)
        self._storages.append(tensor.storage or 0)
        self._dtypes.append(self._codes.setdefault(tensor.dtype, len(self._codes)))
        known, floating = tensor.statistics, tensor.dtype.startswith(_FLOATING)
        whole = tensor.content == "whole"
        self._unknown.append(floating and known is None and whole)
        self._told.append(floating and known is not None)
        self._untold.append(floating and known is None and not whole)
        if known is None:
            self._flags.append(0)
        else:
            self._flags.append(
                (NANS if known.nans else 0) | (INFINITIES if known.infinities else 0)
            )

    def columns(self) -> TensorColumns:
        """The columns of all tensors up to now."""
        return TensorColumns(
            ids=np.array(self.ids, np.int64),
            storages=np.array(self._storages, np.int64),
            dtypes=np.array(self._dtypes, np.int64),
            words=tuple(self._codes),
            unknown=np.array(self._unknown, np.bool_),
            told=np.array(self._told, np.bool_),
            untold=np.array(self._untold, np.bool_),
            flags=np.array(self._flags, np.int8),
        )


_FLOATING = ("float", "bfloat", "complex")
"""How the names of dtypes begin that have NaN and infinities."""


class StepColumnsMaker:
    """Gathers the columns of steps that pass by one at a time.

    Attributes:
        kinds: As in `StepColumns`.
    """

    def __init__(self) -> None:
        self.kinds: list[int] = []
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
            case DispatchStep(location=location) | OptimizerStep(location=location):
                line = 0 if location is None else location.line
        self.kinds.append(_KINDS[type(step)])
        self._passes.append(step.pass_id or 0)
        self._nodes.append(node or 0)
        self._calls.append(call or 0)
        self._lines.append(line)

    def columns(self) -> StepColumns:
        """The columns of all steps up to now."""
        return StepColumns(
            kinds=np.array(self.kinds, np.int8),
            passes=np.array(self._passes, np.int64),
            nodes=np.array(self._nodes, np.int64),
            calls=np.array(self._calls, np.int64),
            lines=np.array(self._lines, np.int64),
            several=self._several,
        )
