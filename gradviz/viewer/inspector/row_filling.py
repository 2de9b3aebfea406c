"""The data behind the inspector's rows, and how a tensor is shown in its view."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.provenance.tensor_lineage import TensorLineage
from gradviz.document.facts.fact_rows import ValueRow
from gradviz.document.tag import DocumentLink, Tag
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

    def extremes(self, tensor: int) -> tuple[float, float] | None:
        """Smallest and largest finite value of a tensor; None if unknown."""
        record = self.loader.record(tensor)
        loaded = self.loader.get(tensor)
        if record is None:
            return None
        value = loaded.value if loaded is not None else None
        return ShownTensor(name="", record=record, value=value).extremes()


def fill_view(
    view: TensorView, row: ValueRow, source: RowSource, limit: float | None = None
) -> None:
    """Show the value of a row in a tensor view."""
    item = row.item
    record = source.loader.record(item.tensor) if item.tensor is not None else None
    if item.tensor is None or record is None:
        view.show_none(row.name, item.text or "None", row.tags)
        return
    tags = (*row.tags, *_origin(item.tensor, source))
    mark = source.marks.tag(record)
    tags = (*tags, mark) if mark is not None else tags
    loaded = source.loader.get(item.tensor)
    if loaded is None:
        note = source.loader.problem(item.tensor) or translate("Inspector", "Loading elements…")
        view.show_tensor(
            row.name, record, None, tags=tags, limit=limit, note=note, usual=source.usual
        )
        return
    record, value = loaded.thin or (loaded.record, loaded.value)
    is_harmful = source.is_harmful(item.tensor, source.number)
    view.show_tensor(
        row.name,
        record,
        value,
        tags=tags,
        limit=limit,
        is_harmful=is_harmful,
        usual=source.usual,
    )


def _origin(tensor: int, source: RowSource) -> tuple[Tag, ...]:
    """A link to the step that created a tensor; empty unless it was an earlier one."""
    made = source.lineage.made_at(tensor) if source.lineage is not None else None
    if made is None or made >= source.number:
        return ()
    tip = translate("Inspector", "Created in step {number}; click to go there.").format(number=made)
    return (
        Tag(
            translate("Inspector", "from step {number}").format(number=made),
            "plain",
            tip,
            DocumentLink(step=made),
        ),
    )
