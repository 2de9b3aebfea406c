"""Text from outside and values, as the short plain text that a picture shows."""

from __future__ import annotations

from gradviz.model.index import Index
from gradviz.model.item import Item
from gradviz.model.phrases import number_text, scalar_value, shape_text
from gradviz.model.tensor import TensorRecord

MOST_CHARACTERS = 44
"""Longer names lose their middle: a picture is no place for a page of text."""


def shown(text: str, most: int = MOST_CHARACTERS) -> str:
    """One line of printable text: control characters become visible escapes, the middle is cut.

    Args:
        text: Anything, from anywhere.
        most: Greatest number of characters of the result.
    """
    start = text[: most * 2]
    end = text[-most * 2 :] if len(text) > most * 2 else ""
    plain = _printable(start)
    if not end and len(plain) <= most:
        return plain
    tail = most // 2
    return plain[: most - tail - 1] + "…" + _printable(end or start)[-tail:]


def _printable(text: str) -> str:
    return "".join(each if each.isprintable() else _escape(each) for each in text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def tensor_text(tensor: TensorRecord) -> str:
    """Shape and dtype in one line, like ``2×3 · float64``."""
    return shown(f"{shape_text(tensor.shape)} · {tensor.dtype}")


def value_text(tensor: TensorRecord) -> str:
    """The value of a tensor of one element, or nothing where it has more or is not known."""
    value = scalar_value(tensor)
    return "" if value is None else number_text(value)


def tensor_of(index: Index, number: int | None) -> TensorRecord | None:
    """A tensor's record; with its value if it has one element.

    Asking the index would read every element of the largest tensors for statistics that no
    picture shows.
    """
    if number is None:
        return None
    if number not in index.tensor:
        return None
    record = index.tensor.bare(number)
    return index.tensor[number] if record.count == 1 else record


def item_text(index: Index, item: Item) -> str:
    """What a gradient is: its value where it has one element, else its shape; or None."""
    tensor = tensor_of(index, item.tensor)
    if tensor is None:
        return "None" if item.kind == "none" else shown(item.text, 20)
    return value_text(tensor) or shape_text(tensor.shape)
