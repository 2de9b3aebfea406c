"""The long tables of a trace as columns, so that queries over all rows are fast."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from gradviz.model.item import Item
from gradviz.model.step import (
    AccumulateStep,
    DispatchStep,
    ErrorStep,
    ForwardStep,
    MissingStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
    PassEndStep,
    Step,
)
from gradviz.model.step_values import values_of
from gradviz.model.tensor import TensorRecord

IntColumn = npt.NDArray[np.int64]

FORWARD: Final = 0
PASS_BEGIN: Final = 1
NODE: Final = 2
ACCUMULATE: Final = 3
PASS_END: Final = 4
ERROR: Final = 5
DISPATCH: Final = 6
OPTIMIZER: Final = 7
MISSING: Final = 8

# Bits, because one tensor can contain both.
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
    MissingStep: MISSING,
}


class StepColumns(Struct, frozen=True, kw_only=True, eq=False):
    """Properties of each step; entry ``n`` belongs to step ``n + 1``, 0 means none.

    Attributes:
        kinds: `FORWARD`, `PASS_BEGIN` ...
        passes: Pass that the step belongs to.
        nodes: Node that was executed, created, or failed.
        calls: Call of a custom Function in a forward step or an error.
        lines: Source line from which a forward, dispatch or optimizer step was called.
        several: All nodes of each forward step that created others than just one, by step number.
        branching: Numbers of the forward steps with several outputs.
        started: When it began, in ns since the recording began.
        occurring: Numbers of the tensors among its values; not an entry for each step, but one for
            each occurrence, in the order of the run.
        occurring_in: The step of each of these.
    """

    kinds: npt.NDArray[np.int8]
    passes: IntColumn
    nodes: IntColumn
    calls: IntColumn
    lines: IntColumn
    started: IntColumn
    occurring: IntColumn
    occurring_in: IntColumn
    several: Mapping[int, tuple[int, ...]]
    branching: Sequence[int]


class TensorColumns(Struct, frozen=True, kw_only=True, eq=False):
    """Properties of each tensor; entry ``n`` belongs to the ``n``-th record.

    Attributes:
        ids: Numbers in the trace, ascending.
        storages: Number of the storage; 0 if there is none.
        dtypes: Index of the dtype in ``words``.
        words: All dtypes that occur.
        unknown: Whether its elements must be read to know if any is not finite.
        has_statistics: Whether its record has statistics; only for dtypes with non-finite values.
        undetermined: Whether neither record nor elements can tell; only for the same dtypes.
        flags: `NANS` and `INFINITIES`, according to its record.
    """

    ids: IntColumn
    storages: IntColumn
    dtypes: IntColumn
    words: tuple[str, ...]
    unknown: npt.NDArray[np.bool_]
    has_statistics: npt.NDArray[np.bool_]
    undetermined: npt.NDArray[np.bool_]
    flags: npt.NDArray[np.int8]

    def followed_by(self, later: TensorColumns) -> TensorColumns:
        """The columns of these tensors and later ones."""
        words = tuple(dict.fromkeys((*self.words, *later.words)))
        # Both sides numbered their dtypes on their own, so the later codes must be translated.
        code = np.array([words.index(word) for word in later.words], np.int64)
        return TensorColumns(
            ids=np.concatenate((self.ids, later.ids)),
            storages=np.concatenate((self.storages, later.storages)),
            dtypes=np.concatenate((self.dtypes, code[later.dtypes])),
            words=words,
            unknown=np.concatenate((self.unknown, later.unknown)),
            has_statistics=np.concatenate((self.has_statistics, later.has_statistics)),
            undetermined=np.concatenate((self.undetermined, later.undetermined)),
            flags=np.concatenate((self.flags, later.flags)),
        )


@runtime_checkable
class HasStepColumns(Protocol):
    """Steps with precomputed columns, so that the steps themselves need not be created."""

    @property
    def step_columns(self) -> StepColumns:
        """Properties of all steps as columns."""


@runtime_checkable
class HasTensorColumns(Protocol):
    """Tensor records with precomputed columns."""

    @property
    def tensor_columns(self) -> TensorColumns:
        """Properties of all tensors as columns."""


MetadataKey = tuple[object, int, int]
"""Metadata, id and storage; tensors with equal metadata differ only in id, storage, version and
offset."""


@runtime_checkable
class HasMetadataKeys(Protocol):
    """Tensor records that can be compared without being created."""

    def metadata_keys(self) -> Iterator[MetadataKey | None]:
        """A key for each tensor; None for those that must be checked on their own."""


def step_columns(steps: Sequence[Step]) -> StepColumns:
    """Properties of steps as columns, precomputed if possible."""
    if isinstance(steps, HasStepColumns):
        return steps.step_columns
    made = StepColumnsBuilder()
    for step in steps:
        made.add(step, [item for _, item in values_of(step)])
    return made.built()


def tensor_columns(tensors: Sequence[TensorRecord]) -> TensorColumns:
    """Properties of tensors as columns, precomputed if possible."""
    if isinstance(tensors, HasTensorColumns):
        return tensors.tensor_columns
    made = TensorColumnsBuilder()
    for tensor in tensors:
        made.add(tensor)
    return made.built()


class TensorColumnsBuilder:
    """Builds the columns of tensors that are added one at a time."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self._storages: list[int] = []
        self._codes: list[int] = []
        self._known: dict[tuple[str, bool, bool, bool, int], int] = {}

    def add(self, tensor: TensorRecord) -> int:
        """Append the next tensor, and return a code for `add_similar`."""
        known, floating = tensor.statistics, tensor.dtype.startswith(_FLOATING)
        whole = tensor.content == "whole"
        flags = 0
        if known is not None:
            flags = (NANS if known.nans else 0) | (INFINITIES if known.infinities else 0)
        unknown = floating and known is None
        entry = (tensor.dtype, unknown and whole, floating and not unknown, unknown and not whole)
        code = self._known.setdefault((*entry, flags), len(self._known))
        self.add_similar(tensor.id, tensor.storage or 0, code)
        return code

    def add_similar(self, number: int, storage: int, code: int) -> None:
        """Append a tensor that differs from an earlier one only in its id and storage.

        Args:
            number: Its id.
            storage: Its storage.
            code: What `add` returned for the earlier tensor.
        """
        self.ids.append(number)
        self._storages.append(storage)
        self._codes.append(code)

    def built(self) -> TensorColumns:
        """The columns of all tensors added so far."""
        codes = np.array(self._codes, np.int64)
        entries = zip(*self._known, strict=True) if self._known else ((),) * 5
        dtypes, unknown, has_statistics, undetermined, flags = entries
        words = tuple(dict.fromkeys(dtypes))
        return TensorColumns(
            ids=np.array(self.ids, np.int64),
            storages=np.array(self._storages, np.int64),
            dtypes=np.array([words.index(word) for word in dtypes], np.int64)[codes],
            words=words,
            unknown=np.array(unknown, np.bool_)[codes],
            has_statistics=np.array(has_statistics, np.bool_)[codes],
            undetermined=np.array(undetermined, np.bool_)[codes],
            flags=np.array(flags, np.int8)[codes],
        )


_FLOATING = ("float", "bfloat", "complex")
"""Prefixes of the names of dtypes that have NaN and infinities."""


class StepColumnsBuilder:
    """Builds the columns of steps that are added one at a time.

    Attributes:
        kinds: As in `StepColumns`.
    """

    def __init__(self) -> None:
        self.kinds: list[int] = []
        self._passes: list[int] = []
        self._nodes: list[int] = []
        self._calls: list[int] = []
        self._lines: list[int] = []
        self._started = array("q")
        self._occurring = array("q")
        self._occurring_in = array("q")
        self._several: dict[int, tuple[int, ...]] = {}
        self._branching: list[int] = []

    def add(self, step: Step, items: Iterable[Item]) -> None:
        """Append the next step, which has these values."""
        node: int | None = None
        call: int | None = None
        line = 0
        match step:
            case NodeStep(node=node) | AccumulateStep(node=node):
                pass
            case ForwardStep(node=node, call=call, nodes=nodes, outputs=outputs, location=location):
                line = 0 if location is None else location.line
                # Rare, so these are kept in a dict instead of in a column of tuples.
                if nodes != (node,) and nodes:
                    self._several[step.number] = nodes
                if len(outputs) > 1:
                    self._branching.append(step.number)
            case ErrorStep(node=node, call=call):
                pass
            case DispatchStep(location=location) | OptimizerStep(location=location):
                line = 0 if location is None else location.line
        self.kinds.append(_KINDS[type(step)])
        self._passes.append(step.pass_id or 0)
        self._nodes.append(node or 0)
        self._calls.append(call or 0)
        self._lines.append(line)
        self._started.append(step.started_ns)
        for item in items:
            if item.tensor is not None:
                self._occurring.append(item.tensor)
                self._occurring_in.append(step.number)

    def built(self) -> StepColumns:
        """The columns of all steps added so far."""
        return StepColumns(
            kinds=np.array(self.kinds, np.int8),
            passes=np.array(self._passes, np.int64),
            nodes=np.array(self._nodes, np.int64),
            calls=np.array(self._calls, np.int64),
            lines=np.array(self._lines, np.int64),
            started=np.array(self._started, np.int64),
            occurring=np.array(self._occurring, np.int64),
            occurring_in=np.array(self._occurring_in, np.int64),
            several=self._several,
            branching=self._branching,
        )
