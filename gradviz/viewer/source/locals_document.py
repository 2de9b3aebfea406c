"""The local variables of a call as a document, with pictures of tensors on one color scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.executed_lines import Local
from gradviz.document.document import Document, Field, Row, document_of
from gradviz.drawing.appearance.color_map import shared_color_limit
from gradviz.model.tensor import TensorRecord
from gradviz.text.phrases import record_shape_text
from gradviz.text.sentences.values import is_array
from gradviz.viewer.source.value_text import ReadElements, item_text
from gradviz.viewer.tensor_view.tensor_text import spoken
from gradviz.viewer.translation import translate


@dataclass(frozen=True, slots=True)
class LocalRows:
    """The rows of variables.

    Attributes:
        index: The trace.
        variables: The variables.
        elements: Returns the stored elements of a tensor.
    """

    index: TraceIndex
    variables: Sequence[Local]
    elements: ReadElements

    def document(self) -> Document:
        """Return a row for each variable; its key is its number."""
        numbers = (each.item.tensor for each in self.variables)
        values = (self.elements(each) for each in numbers if each is not None)
        limit = shared_color_limit(each.array() for each in values if each is not None)
        titles = (translate("Source", "Name"), translate("Source", "Value"))
        return document_of(titles, [self._row(each, limit) for each in self.variables])

    def _row(self, local: Local, limit: float) -> Row:
        item, record = local.item, self._record(local)
        text = item_text(self.index, item, self.elements)
        if record is not None:
            text = f"{text} · {record.dtype}"
        tip = spoken(item.name, record) if record is not None else ""
        tip = tip or translate("Source", "{name}: {value}").format(name=item.name, value=text)
        is_untracked = is_array(item)
        if is_untracked:
            tip = translate("Source", "{text} (NumPy: not tracked by autograd)").format(text=tip)
        if local.fresh:
            tip = translate("Source", "{text}; set by this line").format(text=tip)
        value = None if record is None else self.elements(record.id)
        if record is not None and not (value is not None and record.shape and record.count):
            value = None
        if record is not None and value is not None:
            text = _kind_text(record)
        if is_untracked:
            untracked = translate("Source", "NumPy: not tracked by autograd")
            text = f"{text} · {untracked}"
        name = Field(text=item.name, tip=tip, strong=local.fresh, icon="sign-now" * local.fresh)
        shown = Field(
            text=text,
            tip=tip,
            tone="warning" if is_untracked else "plain" if record is None else "muted",
            tensor=value,
            limit=limit,
        )
        return Row(fields=(name, shown), spoken=tip)

    def _record(self, local: Local) -> TensorRecord | None:
        """The record of a tensor; None if the value is not one."""
        tensor = local.item.tensor
        return None if tensor is None else self.index.tensor.get(tensor)


def _kind_text(record: TensorRecord) -> str:
    """A tensor's shape, dtype and non-CPU device, beside its picture."""
    kind = f"{record_shape_text(record)} {record.dtype}"
    return kind if record.device == "cpu" else f"{kind} · {record.device}"
