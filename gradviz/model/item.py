"""A named value at one place: an argument, an output, a gradient, a saved value."""

from collections.abc import Set
from typing import Literal

from gradviz.model.codec import Natural, TraceRecord

ItemKind = Literal["tensor", "none", "object"]


class Item(TraceRecord, frozen=True, kw_only=True):
    """A named value: a tensor of the trace, None, or any other object as text.

    Attributes:
        name: Name as in the source: ``weight``, ``grad_output``, ``output 0``.
        kind: ``none`` is Python's None, as for an undefined gradient.
        tensor: Number of the tensor; None for the other kinds.
        text: ``repr`` of an object, cut to 200 characters. For a tensor, ``numpy.ndarray`` if it
            was a NumPy array, otherwise empty.
    """

    name: str
    kind: ItemKind
    tensor: Natural | None = None
    text: str = ""


def tensor_item(name: str, tensor: int) -> Item:
    """An item for tensor number ``tensor``."""
    return Item(name=name, kind="tensor", tensor=tensor)


def none_item(name: str) -> Item:
    """An item for None."""
    return Item(name=name, kind="none")


def object_item(name: str, text: str) -> Item:
    """An item for an object that is neither a tensor nor None, shown as ``text``."""
    return Item(name=name, kind="object", text=text)


def array_item(name: str, tensor: int) -> Item:
    """An item for a NumPy array, recorded as tensor number ``tensor``."""
    return Item(name=name, kind="tensor", tensor=tensor, text="numpy.ndarray")


def without_held(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """Items without those for tensors inside of objects that are items themselves."""
    holders = {item.name for item in items if item.kind == "object"}
    return tuple([item for item in items if not (holders and _is_held(item.name, holders))])


def _is_held(name: str, holders: Set[str]) -> bool:
    """Whether a name begins with one of many others and a dot, in time that is linear in those."""
    return any(name[:end] in holders for end, character in enumerate(name) if character == ".")


def gradient_name(name: str) -> str:
    """Name of the gradient for an argument, as in torch's examples: ``grad_weight``."""
    return name if name.startswith("grad") else f"grad_{name}"
