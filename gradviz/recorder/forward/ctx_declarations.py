"""What forward or setup_context has left on ``ctx``, read as soon as the method returns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, TypeVar

import torch
from msgspec import Struct

from gradviz.model.graph import SavedRole
from gradviz.model.item import Item
from gradviz.recorder.safe_text import printable_text
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.tensor_recorder import TensorRecorder


class SavedValueRoles:
    """The arguments and outputs of a call, to find saved values among them."""

    def __init__(self, arguments: Sequence[Any], outputs: Sequence[Any]) -> None:
        # They are kept, because the id of an unwrapped tensor is its own only as long as it lives.
        self._arguments = [_bare(each) for each in arguments]
        self._outputs = [_bare(each) for each in outputs]
        self._inputs_by_id = _first_places(map(id, self._arguments))
        self._outputs_by_id = _first_places(map(id, self._outputs))

    def role(self, value: Any) -> tuple[SavedRole, int | None]:
        """Role of a saved value, and the index of the argument or output it is."""
        if value is None:
            return "none", None
        bare = _bare(value)
        if (index := self._inputs_by_id.get(id(bare))) is not None:
            return "input", index
        if (index := self._outputs_by_id.get(id(bare))) is not None:
            return "output", index
        # Torch refuses to save anything but tensors, but only after this.
        address = _address(bare)
        if address is not None and (index := self._inputs_by_address.get(address)) is not None:
            return "view_of_input", index
        return "intermediate", None

    @cached_property
    def _inputs_by_address(self) -> dict[int | None, int]:
        return _first_places(map(_address, self._arguments))


T = TypeVar("T")


def _first_places(keys: Iterable[T]) -> dict[T, int]:
    places: dict[T, int] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, place)
    return places


def _bare(value: Any) -> Any:
    """The value; under vmap, what torch saves, which is inside its wrapper."""
    return tensor_compat.unwrap(value) if isinstance(value, torch.Tensor) else value


def _address(bare: Any) -> int | None:
    """Address of the memory of a strided tensor; None for anything else."""
    is_strided = isinstance(bare, torch.Tensor) and bare.layout is torch.strided
    return tensor_compat.storage_address(bare) if is_strided else None


def share_storage(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two strided tensors are in the same memory."""
    address = _address(_bare(one))
    return address is not None and address == _address(_bare(other))


class CtxDeclarations(Struct):
    """What a call has declared on its ``ctx``.

    Attributes:
        attributes: Attributes that the user has set on ``ctx``.
        dirty: Indices of the arguments marked dirty.
        non_differentiable: Indices of the outputs marked non-differentiable.
        saved: The saved values with their roles; released when the call ends.
    """

    attributes: tuple[Item, ...] = ()
    dirty: tuple[int, ...] = ()
    non_differentiable: tuple[int, ...] = ()
    saved: tuple[Any, ...] = ()


def read_context(
    ctx: Any, arguments: tuple[Any, ...], outputs: tuple[Any, ...], tensors: TensorRecorder
) -> CtxDeclarations:
    """Read what is available on ``ctx`` only until the node is finished."""
    roles = SavedValueRoles(arguments, outputs)
    free = {name: value for name, value in vars(ctx).items() if not name.startswith("__")}
    return CtxDeclarations(
        attributes=tuple(
            [tensors.item(printable_text(name), value) for name, value in free.items()]
        ),
        dirty=_positions(ctx.dirty_tensors, arguments),
        non_differentiable=_positions(ctx.non_differentiable, outputs),
        saved=tuple([(value, roles.role(value)) for value in _tuple(ctx.to_save)]),
    )


def _tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else ()


def _positions(marked: Any, among: tuple[Any, ...]) -> tuple[int, ...]:
    # `==` would compare elements.
    marks = {id(each) for each in _tuple(marked)}
    return tuple([i for i, each in enumerate(among) if id(each) in marks])
