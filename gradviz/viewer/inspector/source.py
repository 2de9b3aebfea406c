"""The data behind the inspector's rows, and how a tensor is shown in its view."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.model.index import Index
from gradviz.model.lineage import Lineage
from gradviz.viewer.inspector.facts import ValueRow, tr
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.tensor_view.display import Display
from gradviz.viewer.tensor_view.loader import TensorLoader
from gradviz.viewer.tensor_view.storage_mark import StorageMarks
from gradviz.viewer.tensor_view.tensor_view import TensorView
from gradviz.viewer.widgets.pill import Jump, Tag


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Source:
    """The data of rows.

    Attributes:
        index: The trace.
        number: Number of the current step.
        marks: Letters of shared memory.
        lineage: Where tensors come from; None while it is not known.
        loader: Loads tensors with their elements.
        theme: Colors to draw with.
    """

    index: Index
    number: int
    marks: StorageMarks
    lineage: Lineage | None
    loader: TensorLoader
    theme: Theme

    def limit(self, tensor: int) -> float:
        """End of a tensor's own color scale."""
        record = self.loader.record(tensor)
        loaded = self.loader.get(tensor)
        if record is None:
            return 0.0
        value = loaded.value if loaded is not None else None
        return Display(name="", record=record, value=value).own_limit()


def fill(view: TensorView, row: ValueRow, source: Source, limit: float | None = None) -> None:
    """Show the value of a row in a tensor view."""
    item = row.item
    record = source.loader.record(item.tensor) if item.tensor is not None else None
    if item.tensor is None or record is None:
        view.show_none(row.name, item.text or "None", row.tags)
        return
    tags = (*row.tags, *_origin(item.tensor, source))
    mark = source.marks.tag(record, row.name)
    tags = (*tags, mark) if mark is not None else tags
    loaded = source.loader.get(item.tensor)
    if loaded is None:
        note = source.loader.problem(item.tensor) or tr("Loading elements…")
        view.show_tensor(row.name, record, None, tags=tags, limit=limit, note=note)
        return
    record, value = loaded.thin or (loaded.record, loaded.value)
    view.show_tensor(row.name, record, value, tags=tags, limit=limit)


def _origin(tensor: int, source: Source) -> tuple[Tag, ...]:
    """A link to the step that created a tensor; empty unless it was an earlier one."""
    made = source.lineage.made_at(tensor) if source.lineage is not None else None
    if made is None or made >= source.number:
        return ()
    tip = tr("Created in step {number}; click to go there.").format(number=made)
    return (Tag(tr("from step {number}").format(number=made), "plain", tip, Jump(step=made)),)
