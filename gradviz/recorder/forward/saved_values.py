"""Recording of what torch's own nodes have saved for backward."""

from __future__ import annotations

import functools
from typing import Any

import torch

from gradviz.catalogue.messages import say
from gradviz.model.graph import SavedSlot
from gradviz.model.item import Item, none_item, object_item
from gradviz.recorder import compat
from gradviz.recorder.error_boundary import within_error_boundary
from gradviz.recorder.forward.open_function_call import NodeFacts
from gradviz.recorder.log import RecordLog
from gradviz.recorder.safe_text import printable_value
from gradviz.recorder.tensors.tensor_recorder import SavedTensors, TensorRecorder
from gradviz.store.packed_rows import TraceRow


class SavedValueRecorder:
    """Reader of the ``_saved_*`` attributes of nodes; never unpacks what hooks have packed."""

    def __init__(self, log: RecordLog, tensors: TensorRecorder) -> None:
        self.error_boundary = self._log = log
        self._tensors = tensors
        # Once for each type: a model has thousands of nodes, but few types.
        self._attributes: dict[type, tuple[tuple[str, str, str], ...]] = {}

    @within_error_boundary
    def record(self, node: Any, facts: NodeFacts, rows: list[TraceRow]) -> None:
        """Record everything that a node has saved.

        Args:
            node: One of torch's own nodes, or one of a custom Function that ran unrecorded.
            facts: Its facts, which get the tensors that it has saved.
            rows: Gets the slots, to be put.
        """
        kind, log, recorder = type(node), self._log, self._tensors
        attributes = self._attributes.get(kind)
        if attributes is None:
            attributes = self._attributes[kind] = _attributes_of(
                kind, is_custom=facts.kind == "custom"
            )
        items: list[Item] = []
        tensors: list[tuple[str, int, int]] = []
        for name, attribute, handle in attributes:
            try:
                raw: Any = getattr(node, handle, None) if handle else None
                # Reading the attribute would unpack it, and a checkpoint would rerun its forward.
                is_packed = getattr(raw, "unpack_hook", raw) is not None and compat.is_packed(raw)
                value: Any = None if is_packed else getattr(node, attribute)
            except RuntimeError:
                items.append(object_item(name, say("saved.freed")))
                continue
            if is_packed:
                text = say("packed", packed=printable_value(compat.packed_value(raw)))
                items.append(object_item(name, text))
                continue
            kind = type(value)
            if kind in _CONSTANTS or (kind is tuple and _INTEGERS.issuperset(map(type, value))):
                items.append(_constant(name, value))
            elif isinstance(value, torch.Tensor):
                tensor = recorder.record(value)
                items.append(Item(name=name, kind="tensor", tensor=tensor))
                tensors.append((name, tensor, recorder.last_storage))
            else:
                items += self._items_of(name, value)
        number, slots, first = facts.id, log.slots, log.reserve("saved", len(items))
        for at, item in enumerate(items, first):
            slot = SavedSlot(id=at, node=number, item=item, role="attribute", role_index=None)
            rows.append(("saved", at, slot, None))
            if slots and at in slots:
                slots[at] = slot
        if tensors:
            last = first + len(items) - 1
            facts.saved = SavedTensors(last, *zip(*tensors, strict=True))

    def _items_of(self, name: str, value: object) -> list[Item]:
        values = value if isinstance(value, tuple | list) else ()
        if [each for each in values if isinstance(each, torch.Tensor)]:
            return [self._tensors.item(f"{name}[{at}]", each) for at, each in enumerate(values)]
        return [_item_of(name, value)]


# Equal values of one of these types have the same text, unlike 0.0 and -0.0. So have tuples of
# integers.
_CONSTANTS = frozenset((bool, int, str, type(None)))
_INTEGERS = frozenset((int,))


@functools.lru_cache(maxsize=10_000, typed=True)
def _constant(name: str, value: object) -> Item:
    return _item_of(name, value)


def _item_of(name: str, value: object) -> Item:
    """An item for a value that is no tensor."""
    if value is None:
        return none_item(name)
    text, signed = printable_value(value), _signed(value)
    return object_item(name, text if signed is None else f"{text} ({signed} as uint64)")


def _attributes_of(kind: type, *, is_custom: bool) -> tuple[tuple[str, str, str], ...]:
    """Names of the saved values of all nodes of a type, and attributes of these and their handles.

    The handle is that of a saved tensor; its name is empty if there is none.
    """
    names = set(dir(kind))
    saved = [each for each in sorted(names) if each.startswith("_saved_")]
    attributes = {"saved_tensors": "_raw_saved_tensors"}
    if not is_custom:
        attributes = {each: f"_raw{each}" for each in saved}
    handles = [(each, raw if raw in names else "") for each, raw in attributes.items()]
    return tuple([(each.removeprefix("_saved_"), each, handle) for each, handle in handles])


def _signed(value: Any) -> Any:
    """What torch has saved if it returns it as unsigned numbers; None if it does not.

    A dimension of -2 is 18446744073709551614 in Python.
    """
    if isinstance(value, tuple):
        members = tuple(_signed(each) for each in value)
        if not any(members):
            return None
        return tuple(
            each if signed is None else signed for each, signed in zip(value, members, strict=True)
        )
    return value - (1 << 64) if isinstance(value, int) and value >= 1 << 63 else None
