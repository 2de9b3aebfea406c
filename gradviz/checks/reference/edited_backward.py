"""Execution of a custom backward with one of its operations changed.

If the gradients are right with the change, and only then, the mistake is at this operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from gradviz.checks.reference.calling_line import CallingLine, find_calling_line
from gradviz.recorder.compat import BackwardNode, DispatchMode, current_node

EditKind = Literal["accumulate", "first", "second", "scale"]
"""Add instead of overwriting, transpose an operand of a matrix product, or multiply the result."""

_PRODUCTS = {"mm", "bmm", "mv"}
_OVERWRITING = {"index_put", "index_put_", "_index_put_impl_", "scatter", "scatter_", "index_copy_"}
_INCREASING = {"add_", "sub_", "addcmul_", "index_add_", "scatter_add_", "baddbmm_", "addmm_"}


@dataclass(frozen=True, slots=True)
class OpCall:
    """One call of an operation in a custom backward.

    Attributes:
        number: Number of the call among all operations of the pass.
        name: Name of the operation, without the underscore of its in-place variant.
        line: The line of user code.
        edits: The changes that can be tried.
    """

    number: int
    name: str
    line: CallingLine
    edits: tuple[EditKind, ...]


@dataclass(frozen=True, slots=True)
class BackwardEdit:
    """A change of one or more calls of one line.

    Attributes:
        kind: What is changed.
        calls: The changed calls.
        factor: What results are multiplied by, if that is the change.
    """

    kind: EditKind
    calls: tuple[OpCall, ...]
    factor: float = 1.0


class EditedBackwardMode(DispatchMode):
    """Mode in which some calls of custom backwards run with a change.

    Args:
        edit: The change; none if only the calls are of interest.

    Attributes:
        calls: The calls that can be changed, in order; empty if a change was given.
    """

    def __init__(self, edit: BackwardEdit | None = None) -> None:
        super().__init__()
        self.calls: list[OpCall] = []
        self._edit = edit
        self._numbers = frozenset() if edit is None else {each.number for each in edit.calls}
        self._count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Intercept every operation."""
        named: Mapping[str, Any] = kwargs or {}
        # Torch's own nodes make no mistakes; only those of custom Functions are searched.
        if not isinstance(current_node(), BackwardNode):
            return func(*args, **named)
        self._count += 1
        if self._edit is not None and self._count in self._numbers:
            return _EDITS[self._edit.kind](self._edit, func, args, named)
        result = func(*args, **named)
        if self._edit is None:
            name = func.overloadpacket.__name__
            edits = tuple(_edits(func, name, args, named, result))
            line = find_calling_line() if edits else None
            if line is not None:
                self.calls.append(OpCall(self._count, name.rstrip("_"), line, edits))
        return result


def _edits(
    func: Any, name: str, args: tuple[Any, ...], named: Mapping[str, Any], result: Any
) -> Iterator[EditKind]:
    if name in _OVERWRITING and not _accumulates(name, args, named):
        yield "accumulate"
    if name in _PRODUCTS:
        places: tuple[EditKind, ...] = ("first", "second")
        yield from (
            place
            for place, each in zip(places, args, strict=False)
            # Only a square operand still fits when it is transposed.
            if each.dim() >= 2 and each.shape[-1] == each.shape[-2] > 1
        )
    is_number = isinstance(result, Tensor) and (result.is_floating_point() or result.is_complex())
    if is_number and not func.is_view:
        yield "scale"


def _accumulates(name: str, args: tuple[Any, ...], named: Mapping[str, Any]) -> bool:
    if "put" in name:
        return bool(args[3] if len(args) > 3 else named.get("accumulate", False))
    return not isinstance(args[3] if len(args) > 3 else None, Tensor)


def _accumulate(
    edit: BackwardEdit, func: Any, args: tuple[Any, ...], named: Mapping[str, Any]
) -> Any:
    """Add all values for equal indices to what was there, of which only one would be kept."""
    name = func.overloadpacket.__name__
    own = args[0] if name.endswith("_") else args[0].clone()
    if "put" in name:
        indices = [slice(None) if each is None else each for each in args[1]]
        change = args[2] - own[tuple(indices)]
        return torch.ops.aten.index_put_(own, args[1], change, True)
    dimension, index, values = args[1:4]
    if name == "index_copy_":
        return own.index_add_(dimension, index, values - own.index_select(dimension, index))
    shape = tuple(slice(size) for size in index.shape)
    return own.scatter_add_(dimension, index, values[shape] - own.gather(dimension, index))


def _transpose(
    edit: BackwardEdit, func: Any, args: tuple[Any, ...], named: Mapping[str, Any]
) -> Any:
    place = 0 if edit.kind == "first" else 1
    changed = list(args)
    changed[place] = args[place].transpose(-1, -2)
    return func(*changed, **named)


def _scale(edit: BackwardEdit, func: Any, args: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
    """Multiply the result, or what an operation in place adds to its first argument."""
    name = func.overloadpacket.__name__
    if not name.endswith("_"):
        return func(*args, **named) * edit.factor
    before = args[0].clone() if name in _INCREASING else None
    result = func(*args, **named)
    if before is None:
        return result.mul_(edit.factor)
    return result.copy_(before + (result - before) * edit.factor)


_Run = Callable[[BackwardEdit, Any, tuple[Any, ...], Mapping[str, Any]], Any]

_EDITS: dict[EditKind, _Run] = {
    "accumulate": _accumulate,
    "first": _transpose,
    "second": _transpose,
    "scale": _scale,
}
