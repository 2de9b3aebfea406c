"""The data behind the inspector's rows, and how a tensor is shown in its view."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.provenance.tensor_lineage import TensorLineage
from gradviz.document.facts.fact_rows import ValueRow
from gradviz.document.tag import DocumentLink, Tag
from gradviz.drawing.appearance.color_map import shared_scale_limit
from gradviz.model.tensor import is_integral
from gradviz.viewer.tensor_view.shown_tensor import ShownTensor
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.tensor_view.storage_letters import StorageLetters
from gradviz.viewer.tensor_view.tensor_loader import TensorLoader
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.translation import translate


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowSource:
    """The data of rows.

    Attributes:
        index: The trace.
        number: Number of the current step.
        marks: Letters of shared memory.
        lineage: Where tensors come from; None while it is not known.
        is_harmful: Whether NaN and Inf of a tensor in a step are red.
        loader: Loads tensors with their elements.
        theme: Colors to draw with.
        usual: The dtype and the device of most tensors of the step.
    """

    index: TraceIndex
    number: int
    marks: StorageLetters
    lineage: TensorLineage | None
    is_harmful: Callable[[int, int], bool]
    loader: TensorLoader
    theme: Theme
    usual: tuple[str, str] = ("", "")

    def with_usual(self, rows: Iterable[ValueRow]) -> RowSource:
        """The same, with the dtype and the device of most tensors in some rows."""
        numbers = {row.item.tensor for row in rows if row.item.tensor is not None}
        known = [self.loader.record(number) for number in sorted(numbers)]
        kinds = Counter((each.dtype, each.device) for each in known if each is not None)
        return replace(self, usual=kinds.most_common(1)[0][0]) if kinds else self

    def shared_scale(self, rows: Iterable[ValueRow], *, same: bool) -> SharedScale:
        """The color scale for the tensors of some rows."""
        ends: dict[bool, list[tuple[float, float]]] = {False: [], True: []}
        for tensor in {row.item.tensor for row in rows if row.item.tensor is not None}:
            record, loaded = self.loader.record(tensor), self.loader.get(tensor)
            if record is not None:
                value = loaded.value if loaded is not None else None
                found = ShownTensor(name="", record=record, value=value).extremes()
                ends[is_integral(record.dtype)] += [] if found is None else [found]
        numbers, integers = (shared_scale_limit(each) for each in ends.values())
        limit = numbers if ends[False] else integers
        return SharedScale(limit=limit, integer_limit=integers, same=same)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SharedScale:
    """The color scale of the tensors of a step.

    Attributes:
        limit: End of the scale of all that are not integers, or else that of the integers.
        integer_limit: End of the scale of integers: those of indices would hide all other numbers.
        same: Whether the tensors share it.
    """

    limit: float
    integer_limit: float
    same: bool

    def of(self, dtype: str) -> float | None:
        """End of the scale of tensors of a dtype; None if each tensor has its own."""
        if not self.same:
            return None
        return self.integer_limit if is_integral(dtype) else self.limit


def fill_view(view: TensorView, row: ValueRow, source: RowSource, scale: SharedScale) -> None:
    """Show the value of a row in a tensor view."""
    item = row.item
    record = source.loader.record(item.tensor) if item.tensor is not None else None
    if item.tensor is None or record is None:
        view.show_none(row.name, item.text or "None", row.tags)
        return
    tags = (*row.tags, *_origin(item.tensor, source))
    mark = source.marks.tag(record)
    tags = (*tags, mark) if mark is not None else tags
    loaded, value, note = source.loader.get(item.tensor), None, ""
    if loaded is None:
        note = source.loader.problem(item.tensor) or translate("Inspector", "Loading elements…")
    else:
        record, value = loaded.thin or (loaded.record, loaded.value)
    view.show_tensor(
        row.name,
        record,
        value,
        tags=tags,
        limit=scale.of(record.dtype),
        note=note,
        is_harmful=loaded is not None and source.is_harmful(item.tensor, source.number),
        usual=source.usual,
    )


def _origin(tensor: int, source: RowSource) -> tuple[Tag, ...]:
    """A link to the step that created a tensor; empty unless it was an earlier one."""
    made = source.lineage.made_at(tensor) if source.lineage is not None else None
    if made is None or made >= source.number:
        return ()
    tip = translate("Inspector", "Created in step {number}; click to go there.").format(number=made)
    text = translate("Inspector", "from step {number}").format(number=made)
    return (Tag(text, "plain", tip, DocumentLink(step=made)),)
