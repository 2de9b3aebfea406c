"""Values that torch's own nodes save for their backward."""

from __future__ import annotations

from typing import Any

import torch

from gradviz.model.graph import SavedSlot
from gradviz.model.item import Item, object_item
from gradviz.model.messages import say
from gradviz.recorder import compat
from gradviz.recorder.border import bordered
from gradviz.recorder.log import Log
from gradviz.recorder.plain_text import shown
from gradviz.recorder.tensors import Tensors


class SavedValues:
    """Reader of the ``_saved_*`` attributes of nodes; never unpacks what hooks have packed."""

    def __init__(self, log: Log, tensors: Tensors) -> None:
        self._log = log
        self._tensors = tensors
        self._attributes: dict[type, tuple[tuple[str, bool], ...]] = {}

    @property
    def border(self) -> Log:
        """Receiver of errors that are raised while recording."""
        return self._log

    @bordered
    def record(self, node: Any, number: int) -> None:
        """Record everything that one of torch's own nodes has saved."""
        for attribute, may_be_packed in self._attributes_of(type(node)):
            for item in self._items(node, attribute, may_be_packed):
                self._log.put_slot(
                    SavedSlot(
                        id=self._log.next("saved"),
                        node=number,
                        item=item,
                        role="attribute",
                        role_index=None,
                    )
                )

    def _attributes_of(self, kind: type) -> tuple[tuple[str, bool], ...]:
        known = self._attributes.get(kind)
        if known is None:
            names = set(dir(kind))
            known = tuple(
                (name, "_raw" + name in names)
                for name in sorted(names)
                if name.startswith("_saved_")
            )
            self._attributes[kind] = known
        return known

    def _items(self, node: Any, attribute: str, may_be_packed: bool) -> list[Item]:
        name = attribute.removeprefix("_saved_")
        if may_be_packed and _is_packed(compat.raw_saved(node, attribute)):
            packed = compat.packed_value(compat.raw_saved(node, attribute))
            return [object_item(name, say("packed", packed=shown(packed)))]
        try:
            value = getattr(node, attribute)
        except RuntimeError:
            return [object_item(name, "freed, or changed in place after it was saved")]
        if isinstance(value, tuple | list) and any(isinstance(v, torch.Tensor) for v in value):
            return [self._tensors.item(f"{name}[{i}]", each) for i, each in enumerate(value)]
        return [self._tensors.item(name, value)]


def _is_packed(raw: Any) -> bool:
    handles = raw if isinstance(raw, tuple | list) else (raw,)
    return any(map(compat.is_packed, handles))
