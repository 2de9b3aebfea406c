"""Values in sentences about the contents of a step: short, on one line, named or unnamed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_list
from gradviz.catalogue.numbers import number_text
from gradviz.catalogue.visible_text import visible_text
from gradviz.model.graph import Node
from gradviz.model.item import Item
from gradviz.model.tensor import TensorRecord, scalar_value
from gradviz.text.phrases import begins_with_vowel, fill_text, record_shape_text, shared_value

T = TypeVar("T")


def count_text(thing: str, count: int) -> str:
    """A number and its noun, such as ``1 node`` or ``1,024 nodes``.

    Args:
        thing: Noun whose templates are ``count.<thing>.one`` and ``count.<thing>.more``.
        count: How many there are.
    """
    form = "one" if count == 1 else "more"
    return say(f"count.{thing}.{form}", count=format_count(count))


MOST_VALUES = 6
_MOST_CHARACTERS = 60
_NAMED_OBJECT = r"[\w.<>]+ object"


def short_text(text: str, most: int = _MOST_CHARACTERS) -> str:
    """A text on one line with its control characters escaped, shortened if long."""
    # Do not split a very long text of which only the start is shown.
    line = visible_text(" ".join(text[: 20 * most].split()))
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def op_text(name: str) -> str:
    """The name of an op at the start of a sentence, where ``to`` alone would read as a word."""
    return "Tensor.to" if name == "to" else short_text(name)


def some_of_list(phrases: Sequence[str], most: int = MOST_VALUES) -> str:
    """A list of phrases in words, shortened if long: ``a, b, c and 7 more``."""
    return _some_of(phrases, most, str)


def counted_list(names: Sequence[str], most: int = MOST_VALUES) -> str:
    """Names in words, each once with its count, shortened if long: ``a, b (×3) and 7 more``."""
    counts = list(Counter(names).items())
    phrases = [
        name if count == 1 else say("list.counted", name=name, count=format_count(count))
        for name, count in counts
    ]
    if len(phrases) <= most + 1:
        return say_list(phrases)
    rest = format_count(sum(count for _, count in counts[most:]))
    return say_list([*phrases[:most], say("list.rest", count=rest)])


def some_of_items(
    index: TraceIndex, items: Sequence[Item], phrase: Callable[[TraceIndex, Item], str]
) -> str:
    """A list of items in words, shortened if long; calls ``phrase`` only for those it names."""
    return _some_of(items, MOST_VALUES, lambda item: phrase(index, item))


def _some_of(values: Sequence[T], most: int, phrase: Callable[[T], str]) -> str:
    # A single remaining value takes no more space than "1 more".
    if len(values) <= most + 1:
        return say_list([phrase(value) for value in values])
    rest = say("list.rest", count=format_count(len(values) - most))
    return say_list([*(phrase(value) for value in values[:most]), rest])


def named_value(index: TraceIndex, item: Item, *, fill: bool = True) -> str:
    """A named value: ``x = 2``, ``y 2×3 (all ones)``, ``None for bias``, ``dim = 1``.

    Args:
        index: The trace.
        item: The value.
        fill: Whether to state the value if all elements are equal.
    """
    record = record_of(index, item)
    if not item.name:
        return unnamed_value(index, item)
    name = short_text(item.name)
    if record is None:
        return say(f"value.{_kind(item)}", name=name, text=short_text(item.text))
    if not record.has_sizes:
        return say("value.unsized", name=name, shape=record_shape_text(record))
    if not record.shape:
        key = "value.scalar" if (value := scalar_text(index, item)) else "value.unknown"
        return say(key, name=name, value=value)
    look = _appearance(record) if fill else "tensor"
    return say(f"value.{look}", name=name, **_words(record))


def unnamed_value(index: TraceIndex, item: Item) -> str:
    """A value without its name: ``a 2×3 tensor``, ``the scalar 2``, ``None``, ``1.5``."""
    record = record_of(index, item)
    if record is None:
        return say("object.none") if item.kind == "none" else _object_text(item.text)
    kind = "array" if is_array(item) else "tensor"
    if not record.shape and record.has_sizes:
        value = scalar_text(index, item)
        return say(f"{kind}.scalar" if value else f"{kind}.unknown", value=value)
    look = _appearance(record)
    if look == "empty":
        return say(f"{kind}.empty", shape=record_shape_text(record))
    article = "an" if begins_with_vowel(record_shape_text(record)) else "a"
    return say(f"{kind}.{look}.{article}", **_words(record))


def list_named(index: TraceIndex, items: Sequence[Item]) -> str:
    """Named inputs in words, shortened if many; ``no arguments`` if there are none."""
    if not items:
        return say("object.no_arguments")
    return some_of_items(index, items, named_value)


def list_unnamed(index: TraceIndex, items: Sequence[Item]) -> str:
    """Unnamed outputs in words, shortened if many; ``nothing`` if there are none."""
    return some_of_items(index, items, unnamed_value)


def leaf_name(node: Node) -> str:
    """The name of the leaf that a node accumulates into; ``leaf`` if it has none."""
    return node.variable_name or say("drawing.leaf")


def is_array(item: Item) -> bool:
    """Whether an item is a NumPy array."""
    return item.tensor is not None and bool(item.text)


def is_tensor(item: Item) -> bool:
    """Whether an item is a torch tensor."""
    return item.tensor is not None and not item.text


def record_of(index: TraceIndex, item: Item) -> TensorRecord | None:
    """The record of an item that is a tensor or an array; None for any other item."""
    return None if item.tensor is None else index.tensor.get(item.tensor)


def scalar_text(index: TraceIndex, item: Item) -> str:
    """The value of a tensor with one element as text; empty if unknown."""
    record = record_of(index, item)
    if record is None or record.count != 1:
        return ""
    if record.dtype.startswith("complex"):
        return _complex_text(index, record)
    value = scalar_value(record)
    if value is None:
        return ""
    return str(bool(value)) if record.dtype == "bool" else number_text(value)


def _object_text(text: str) -> str:
    """An object as text; with an article if the text only names its class."""
    if not re.fullmatch(_NAMED_OBJECT, text):
        return short_text(text)
    text = text.removeprefix("builtins.")
    return say("object.an" if text[0] in "AEIOaeio" else "object.a", text=short_text(text))


def _complex_text(index: TraceIndex, record: TensorRecord) -> str:
    value = index.value(record.id) if record.content == "whole" else None
    if value is None:
        return ""
    return number_text(value.array().item())


def _kind(item: Item) -> str:
    return "none" if item.kind == "none" else "object"


def _appearance(record: TensorRecord) -> str:
    if not record.count:
        return "empty"
    return "filled" if _fill(record) else "tensor"


def _words(record: TensorRecord) -> dict[str, str]:
    return {"shape": record_shape_text(record), "value": _fill(record)}


def _fill(record: TensorRecord) -> str:
    """The value that all elements share, in words; empty if they differ."""
    value = shared_value(record)
    if value is None:
        return ""
    return str(bool(value)) if record.dtype == "bool" else fill_text(value)


def function_of(index: TraceIndex, node: int | None, call: int | None) -> str | None:
    """The name of the custom Function that a node or a call belongs to; None if built-in."""
    if call is None and node is not None and node in index.node:
        call = index.node[node].call
    return index.call[call].function if call is not None and call in index.call else None


def backward_of(index: TraceIndex, node: int | None, call: int | None) -> str:
    """The backward method, such as ``LinearFunction.backward``; empty for built-in nodes."""
    if call is None and node is not None and node in index.node:
        call = index.node[node].call
    if call is None or call not in index.call:
        return ""
    record = index.call[call]
    return say(f"where.{record.backward_name}", name=record.function)
