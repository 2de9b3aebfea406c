"""Values saved by custom Functions, with their roles in the call."""

from __future__ import annotations

from typing import Any

from gradviz.model.graph import SavedRole, SavedSlot
from gradviz.recorder.log import Log
from gradviz.recorder.open_call import Call
from gradviz.recorder.tensors import Tensors


def put_saved(log: Log, tensors: Tensors, call: Call, outputs: tuple[Any, ...]) -> None:
    """Record the saved values of a call that returned ``outputs``."""
    assert call.facts.node is not None
    saved = call.declared.saved
    names = call.text.saved_names(len(saved))
    for position, (value, (role, index)) in enumerate(saved):
        name = names[position] if names else _name(call, role, index, position)
        if role == "output" and index is not None and index < len(outputs):
            value = outputs[index]
        log.put_slot(
            SavedSlot(
                id=log.next("saved"),
                node=call.facts.node,
                item=tensors.item(name, value),
                role=role,
                role_index=index,
            )
        )


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
