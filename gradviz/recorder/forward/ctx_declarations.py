"""What forward or setup_context has left on ``ctx``, read as soon as the method returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from gradviz.model.graph import SavedRole
from gradviz.model.item import Item
from gradviz.recorder import compat
from gradviz.recorder.safe_text import printable_text
from gradviz.recorder.tensors.tensor_recorder import TensorRecorder


def saved_value_role(
    value: Any, arguments: tuple[Any, ...], outputs: tuple[Any, ...]
) -> tuple[SavedRole, int | None]:
    """Role of a saved value in its call, and the index of the argument or output it is."""
    if value is None:
        return "none", None
    for index, argument in enumerate(arguments):
        if _is_same(value, argument):
            return "input", index
    for index, output in enumerate(outputs):
        if _is_same(value, output):
            return "output", index
    # Torch refuses to save anything but tensors, but only after this.
    others = arguments if isinstance(value, torch.Tensor) else ()
    for index, argument in enumerate(others):
        if isinstance(argument, torch.Tensor) and share_storage(value, argument):
            return "view_of_input", index
    return "intermediate", None


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values are the same; under vmap, torch saves what is inside its wrapper."""
    if one is other:
        return True
    if not (isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor)):
        return False
    return compat.unwrapped(one) is compat.unwrapped(other)


def share_storage(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two strided tensors are in the same memory."""
    one, other = compat.unwrapped(one), compat.unwrapped(other)
    if one.layout is not torch.strided or other.layout is not torch.strided:
        return False
    return compat.storage_address(one) == compat.storage_address(other)


@dataclass(slots=True)
class CtxDeclarations:
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
    free = {name: value for name, value in vars(ctx).items() if not name.startswith("__")}
    return CtxDeclarations(
        attributes=tuple(
            [tensors.item(printable_text(name), value) for name, value in free.items()]
        ),
        dirty=_positions(ctx.dirty_tensors, arguments),
        non_differentiable=_positions(ctx.non_differentiable, outputs),
        saved=tuple(
            [(value, saved_value_role(value, arguments, outputs)) for value in _tuple(ctx.to_save)]
        ),
    )


def _tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else ()


def _positions(marked: Any, among: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(
        # `==` would compare elements.
        [i for i, each in enumerate(among) if any(each is mark for mark in _tuple(marked))]
    )
