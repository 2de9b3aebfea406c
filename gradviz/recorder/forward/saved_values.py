"""Recording of what torch's own nodes have saved for backward."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

import torch

from gradviz.catalogue.messages import say
from gradviz.model.graph import SavedSlot
from gradviz.model.item import Item, none_item, object_item, tensor_item
from gradviz.recorder import compat
from gradviz.recorder.error_boundary import within_error_boundary
from gradviz.recorder.forward.node_facts import NodeFacts
from gradviz.recorder.log import RecordLog
from gradviz.recorder.safe_text import printable_value
from gradviz.recorder.tensors.tensor_recorder import SavedTensors, TensorRecorder
from gradviz.store.row_encoder import placeholders, row_template


@dataclass(frozen=True, slots=True)
class SavedAttribute:
    """An attribute ``_saved_*`` that all nodes of a type have.

    Attributes:
        attribute: Its full name.
        name: Name of the value.
        raw: Name of the attribute with the handle of a saved tensor; empty if there is none.
        tensor_row: Template of the rows of tensors, with the numbers of slot, node and tensor.
        none_row: Template of the rows of None, with the numbers of slot and node.
    """

    attribute: str
    name: str
    raw: str
    tensor_row: str
    none_row: str


class SavedValueRecorder:
    """Reader of the ``_saved_*`` attributes of nodes; never unpacks what hooks have packed."""

    def __init__(self, log: RecordLog, tensors: TensorRecorder) -> None:
        self._log = log
        self._tensors = tensors
        # Once for each type: a model has thousands of nodes, but few types.
        self._attributes: dict[type, tuple[SavedAttribute, ...]] = {}

    @property
    def error_boundary(self) -> RecordLog:
        """Receiver of errors that are raised while recording."""
        return self._log

    @within_error_boundary
    def record(self, node: Any, facts: NodeFacts) -> bool:
        """Record everything that a node has saved.

        Args:
            node: One of torch's own nodes, or one of a custom Function that ran unrecorded.
            facts: Its facts, which get the tensors that it has saved.

        Returns:
            Whether no hooks have packed any of it.
        """
        number = facts.id
        kind, log = type(node), self._log
        attributes = self._attributes.get(kind)
        if attributes is None:
            attributes = self._attributes[kind] = _attributes_of(
                kind, is_custom=facts.kind == "custom"
            )
        # Slots that a What If change asks for are needed as records.
        as_rows = not log.slots
        is_plain = True
        names: list[str] = []
        tensors: list[int] = []
        storages: list[int] = []
        for each in attributes:
            # Reading the attribute would unpack it, and a checkpoint would rerun its forward.
            raw = getattr(node, each.raw, None) if each.raw else None
            if raw is not None and _is_packed(raw):
                is_plain = False
                packed = compat.packed_value(getattr(node, each.raw))
                text = say("packed", packed=printable_value(packed))
                self._put(number, object_item(each.name, text))
                continue
            try:
                value = getattr(node, each.attribute)
            except RuntimeError:
                self._put(number, object_item(each.name, say("saved.freed")))
                continue
            if as_rows and isinstance(value, torch.Tensor):
                tensor = self._tensors.record(value)
                log.put_row("saved", each.tensor_row, (log.next("saved"), number, tensor))
                names.append(each.name)
                tensors.append(tensor)
                storages.append(self._tensors.last_storage)
            elif as_rows and value is None:
                log.put_row("saved", each.none_row, (log.next("saved"), number))
            elif as_rows and _is_constant(value):
                row = _constant_row(each.name, value)
                log.put_row("saved", row, (log.next("saved"), number))
            else:
                self._put_items(number, each.name, value)
        if names:
            saved = (tuple(names), tuple(tensors), tuple(storages))
            facts.saved = SavedTensors(log.highest("saved"), *saved)
        return is_plain

    def _put_items(self, node: int, name: str, value: object) -> None:
        if isinstance(value, tuple | list) and any(isinstance(v, torch.Tensor) for v in value):
            for position, member in enumerate(value):
                self._put(node, self._tensors.item(f"{name}[{position}]", member))
        elif isinstance(value, torch.Tensor):
            self._put(node, self._tensors.item(name, value))
        else:
            self._put(node, _item_of(name, value))

    def _put(self, node: int, item: Item) -> None:
        log = self._log
        if item.kind == "object" and not log.slots:
            row = _object_row(item.name, item.text)
            log.put_row("saved", row, (log.next("saved"), node))
        else:
            log.put_slot(_slot(log.next("saved"), node, item))


def _is_constant(value: object) -> bool:
    """Whether equal values of the same type have the same text, unlike 0.0 and -0.0."""
    kind = type(value)
    return kind in _CONSTANTS or (
        kind is tuple and all(type(each) is int for each in cast(tuple[Any, ...], value))
    )


_CONSTANTS = frozenset((bool, int, str))


@functools.lru_cache(maxsize=10_000, typed=True)
def _constant_row(name: str, value: object) -> str:
    return _object_row(name, _item_of(name, value).text)


@functools.lru_cache(maxsize=10_000)
def _object_row(name: str, text: str) -> str:
    """Template of the rows of an object, with the numbers of slot and node."""
    slot, node = islice(placeholders(), 2)
    return row_template(_slot(slot, node, object_item(name, text)))


def _item_of(name: str, value: object) -> Item:
    """An item for a value that is no tensor."""
    if value is None:
        return none_item(name)
    text, signed = printable_value(value), _signed(value)
    return object_item(name, text if signed is None else f"{text} ({signed} as uint64)")


def _attributes_of(kind: type, *, is_custom: bool) -> tuple[SavedAttribute, ...]:
    names = set(dir(kind))
    slot, node, tensor = islice(placeholders(), 3)
    found = []
    attributes = {each: f"_raw{each}" for each in sorted(names) if each.startswith("_saved_")}
    if is_custom:
        attributes = {"saved_tensors": "_raw_saved_tensors"}
    for attribute, raw in attributes.items():
        name = attribute.removeprefix("_saved_")
        found.append(
            SavedAttribute(
                attribute=attribute,
                name=name,
                raw=raw if raw in names else "",
                tensor_row=row_template(_slot(slot, node, tensor_item(name, tensor))),
                none_row=row_template(_slot(slot, node, none_item(name))),
            )
        )
    return tuple(found)


def _slot(number: int, node: int, item: Item) -> SavedSlot:
    return SavedSlot(id=number, node=node, item=item, role="attribute", role_index=None)


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


def _is_packed(raw: Any) -> bool:
    if isinstance(raw, _LISTS):
        return any(map(compat.is_packed, raw))
    return compat.is_packed(raw)


_LISTS = (tuple, list)
