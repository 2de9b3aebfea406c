"""What a custom Function saved: each value, and what it is to the call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from gradviz.model.graph import SavedRole, SavedSlot
from gradviz.recorder import compat
from gradviz.recorder.log import Log
from gradviz.recorder.tensors import Tensors

if TYPE_CHECKING:
    from gradviz.recorder.calls import Call


def put_saved(log: Log, tensors: Tensors, call: Call, outputs: tuple[Any, ...]) -> None:
    """Records the saved values of a call that returned ``outputs``."""
    assert call.facts.node is not None
    saved = call.declared.saved
    names = call.text.saved_names(len(saved))
    for position, (value, (role, index)) in enumerate(saved):
        name = names[position] if names else _name(call, role, index, position)
        if role == "output" and index is not None and index < len(outputs):
            value = outputs[index]
        log.put(
            SavedSlot(
                id=log.next("saved"),
                node=call.facts.node,
                item=tensors.item(name, value),
                role=role,
                role_index=index,
            )
        )


def role_of(
    value: Any, arguments: tuple[Any, ...], outputs: tuple[Any, ...]
) -> tuple[SavedRole, int | None]:
    """What a saved value is to the call, and which argument or output it is."""
    if value is None:
        return "none", None
    for index, argument in enumerate(arguments):
        if value is argument:
            return "input", index
    for index, output in enumerate(outputs):
        if value is output:
            return "output", index
    for index, argument in enumerate(arguments):
        if isinstance(argument, torch.Tensor) and _share_storage(value, argument):
            return "view_of_input", index
    return "intermediate", None


def _share_storage(one: torch.Tensor, other: torch.Tensor) -> bool:
    one, other = compat.unwrapped(one), compat.unwrapped(other)
    if one.layout is not torch.strided or other.layout is not torch.strided:
        return False
    return compat.storage_address(one) == compat.storage_address(other)


def _name(call: Call, role: SavedRole, index: int | None, position: int) -> str:
    if role in ("input", "view_of_input") and index is not None:
        return (
            call.facts.arguments[index]
            if index < len(call.facts.arguments)
            else f"saved {position}"
        )
    if role == "output" and index is not None:
        return f"output {index}"
    return f"saved {position}"
