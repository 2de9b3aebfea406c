"""Shapes, numbers and values in words, formatted the same way everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import number_text
from gradviz.model.item import Item
from gradviz.model.statistics import Statistics
from gradviz.model.tensor import TensorRecord, scalar_value

if TYPE_CHECKING:
    from gradviz.analysis.index.trace_index import TraceIndex

_FILLS = {0.0: "value.zeros", 1.0: "value.ones"}


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as text: ``2×3``, ``[6]`` for one dimension, ``scalar`` for none."""
    if not shape:
        return say("shape.scalar")
    if len(shape) == 1:
        return f"[{shape[0]}]"
    return "×".join(map(str, shape))


def record_shape_text(record: TensorRecord) -> str:
    """The shape of a tensor as text; a word such as ``nested`` if it has no single shape."""
    if record.has_sizes:
        return shape_text(record.shape)
    if not record.is_described:
        return say("shape.undescribed")
    return say("shape.uninitialized" if record.subclass in _LAZY else "shape.nested")


_LAZY = frozenset(("UninitializedParameter", "UninitializedBuffer"))


def non_finite_counts(known: Statistics) -> list[tuple[str, int]]:
    """NaN, Inf and -Inf as named in sentences, with the number of such elements if any."""
    counts = {
        "nan": known.nans,
        "inf": known.positive_infinities,
        "negative_inf": known.negative_infinities,
    }
    return [(say(f"what.{each}"), count) for each, count in counts.items() if count]


def size_text(count: int) -> str:
    """A number of bytes with three or four digits, such as ``512 B`` or ``4.1 MiB``."""
    if count < 1 << 10:
        return f"{count} B"
    power = min((count.bit_length() - 1) // 10, len(_UNITS))
    size, unit = count / (1 << 10 * power), _UNITS[power - 1]
    # Below 1,024, there may be four digits before the point.
    return f"{size:.0f} {unit}" if size >= 100 else f"{size:.3g} {unit}"


_UNITS = ("KiB", "MiB", "GiB", "TiB")


def value_phrase(index: TraceIndex, item: Item) -> str:
    """A named value: ``weight 2×3``, ``x = 2``, ``b [3] (all ones)`` or ``None for bias``."""
    record = _record(index, item)
    if record is None:
        return _without_tensor("value", item)
    if not record.has_sizes:
        return say("value.unsized", name=item.name, shape=record_shape_text(record))
    if not record.shape:
        value = scalar_value(record)
        if value is None:
            return say("value.unknown", name=item.name)
        return say("value.scalar", name=item.name, value=number_text(value))
    shape = _shape(record)
    fill = shared_value(record)
    if fill in _FILLS:
        return say("value.filled", name=item.name, shape=shape, value=fill_text(fill))
    return say("value.tensor", name=item.name, shape=shape)


def gradient_phrase(index: TraceIndex, item: Item) -> str:
    """A gradient: ``a 2×2 gradient for x``, ``the gradient 7.39 for x`` or ``None for x``."""
    return _gradient(index, item, "gradient")


def gradient_shape(index: TraceIndex, item: Item) -> str:
    """The shape of a gradient; empty for a scalar whose value is known, and for no tensor."""
    record = _record(index, item)
    if record is None or (not record.shape and scalar_value(record) is not None):
        return ""
    return _shape(record)


def flow_phrase(index: TraceIndex, item: Item, target: str) -> str:
    """A gradient and its target, such as ``a 2×2 gradient to MulBackward0``."""
    return _gradient(index, replace(item, name=target), "flow")


def _gradient(index: TraceIndex, item: Item, group: str) -> str:
    record = _record(index, item)
    if record is None:
        return _without_tensor(group, item)
    value = scalar_value(record)
    if value is not None and not record.shape:
        return say(f"{group}.scalar", name=item.name, value=number_text(value))
    shape = _shape(record)
    article = "an" if begins_with_vowel(shape) else "a"
    return say(f"{group}.{article}", name=item.name, shape=shape)


def contribution_phrase(index: TraceIndex, item: Item) -> str:
    """What arrives at a leaf: ``the 2×2 gradient`` or ``the gradient 7.389``."""
    record = _record(index, item)
    if record is None:
        return item.text or "None"
    value = scalar_value(record)
    if value is not None and not record.shape:
        return say("contribution.scalar", value=number_text(value))
    return say("contribution.tensor", shape=_shape(record))


def _shape(record: TensorRecord) -> str:
    """The shape as text, with the word ``sparse`` for a sparse layout."""
    shape = record_shape_text(record)
    return say("shape.sparse", shape=shape) if record.layout.startswith("sparse") else shape


def _record(index: TraceIndex, item: Item) -> TensorRecord | None:
    return None if item.tensor is None else index.tensor.get(item.tensor)


def _without_tensor(group: str, item: Item) -> str:
    if item.kind == "none":
        return say(f"{group}.none", name=item.name)
    if item.name == item.text:
        # A name for a constant, such as ``torch.float32``.
        return item.text
    return say(f"{group}.object", name=item.name, text=item.text)


def fill_text(value: float) -> str:
    """What all elements are: ``zeros``, ``ones``, or another number."""
    return say(_FILLS[value]) if value in _FILLS else number_text(value)


def shared_value(record: TensorRecord) -> float | None:
    """The real value that all elements of a tensor share; None if they differ or are unknown."""
    statistics = record.statistics
    if statistics is None or not statistics.all_finite or record.dtype.startswith("complex"):
        return None
    if statistics.minimum is None or statistics.minimum != statistics.maximum:
        return None
    return statistics.minimum


def begins_with_vowel(text: str) -> bool:
    """Whether a shape takes the article "an": its number reads as 8, 11, 18, 800 or 18000.

    So does the word ``uninitialized``, which may stand in place of a shape.
    """
    if text[:1] in "aeiou":
        return True
    digits = text.split("×")[0].strip("[]")
    first = digits[: len(digits) % 3 or 3]
    return first.startswith("8") or first in ("11", "18")


def equal_rows_text(count: int) -> str:
    """Say that a matrix has a number of equal rows: ``4 equal rows``."""
    return say("facts.equal_rows", count=format_count(count))
