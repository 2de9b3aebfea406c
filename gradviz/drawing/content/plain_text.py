"""Names and values as the short plain text that a drawing shows."""

from __future__ import annotations

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.numbers import number_text
from gradviz.catalogue.visible_text import visible_text
from gradviz.model.item import Item
from gradviz.model.tensor import TensorRecord, scalar_value
from gradviz.text.phrases import record_shape_text

MOST_CHARACTERS = 44
"""Maximum length of a name; longer ones lose their middle."""


def label_text(text: str, most: int = MOST_CHARACTERS) -> str:
    """Turn text into one short line with control characters escaped.

    Args:
        text: Any text, from any source.
        most: Maximum length of the result; longer text loses its middle.
    """
    # Cut before escaping: a name of a million characters must not cost a million steps.
    start = text[: most * 2]
    end = text[-most * 2 :] if len(text) > most * 2 else ""
    plain = visible_text(start)
    if not end and len(plain) <= most:
        return plain
    tail = most // 2
    return plain[: most - tail - 1] + "…" + visible_text(end or start)[-tail:]


def tensor_text(tensor: TensorRecord) -> str:
    """Shape and dtype in one line, like ``2×3 · float64``."""
    return label_text(f"{record_shape_text(tensor)} · {tensor.dtype}")


def value_text(tensor: TensorRecord) -> str:
    """Value of a one-element tensor; empty if it has more elements or is unknown."""
    value = scalar_value(tensor)
    return "" if value is None else number_text(value)


def tensor_of(index: TraceIndex, number: int | None) -> TensorRecord | None:
    """Tensor record by number; with its value if it has one element.

    The full record would read every element of the largest tensors, for statistics that no
    drawing shows.
    """
    if number is None:
        return None
    if number not in index.tensor:
        return None
    record = index.tensor.bare(number)
    return index.tensor[number] if record.count == 1 else record


def item_text(index: TraceIndex, item: Item) -> str:
    """Text for a gradient: its value if it has one element, else its shape, or None."""
    tensor = tensor_of(index, item.tensor)
    if tensor is None:
        return "None" if item.kind == "none" else label_text(item.text, 20)
    return value_text(tensor) or record_shape_text(tensor)
