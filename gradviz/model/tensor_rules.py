"""What must be true of every tensor of a trace, held against one record after the other."""

from __future__ import annotations

from collections.abc import Iterator, Set

from gradviz.model.columns import TensorColumns, TensorColumnsMaker
from gradviz.model.tensor import ITEM_SIZES, TensorRecord

_MOST = 1 << 63


class TensorRules:
    """Looks at all tensors, in order, and gathers what is wrong.

    Attributes:
        shapes: Shapes of those that were asked for.
        problems: One sentence each.
    """

    def __init__(self, wanted: Set[int]) -> None:
        """Takes the numbers of the tensors whose shapes are asked for."""
        self.shapes: dict[int, tuple[int, ...]] = {}
        self._wanted = wanted
        self._columns = TensorColumnsMaker()
        self._last = 0
        self.problems: list[str] = []

    def check(self, tensor: TensorRecord) -> None:
        """Looks at the next tensor."""
        if not self._last < tensor.id < _MOST:
            self.problems.append(f"ids of kind tensor do not ascend: {tensor.id}")
        self._last = tensor.id
        self._columns.add(tensor)
        if tensor.id in self._wanted:
            self.shapes[tensor.id] = tensor.shape
        if not _is_fine(tensor):
            self.problems += _problems_of(tensor)

    def columns(self) -> TensorColumns:
        """The tensors that were looked at, in columns; to be asked if there is no problem."""
        return self._columns.columns()

    @property
    def ids(self) -> list[int]:
        """Their numbers."""
        return self._columns.ids


def _is_fine(tensor: TensorRecord) -> bool:
    """Whether a whole tensor is as nearly all are; the rest is looked at more closely."""
    return (
        tensor.content == "whole"
        and tensor.kept_shape == tensor.shape
        and not tensor.note
        and tensor.dtype in ITEM_SIZES
        and min(tensor.shape, default=0) >= 0
        and (tensor.storage is None or 0 < tensor.storage < _MOST)
    )


def _problems_of(tensor: TensorRecord) -> Iterator[str]:
    name = f"tensor {tensor.id}"
    if any(size < 0 for size in (*tensor.shape, *tensor.kept_shape)):
        yield f"{name} has a negative size"
    kept = tensor.content in ("whole", "preview")
    if kept and tensor.dtype not in ITEM_SIZES:
        yield f"{name} keeps values of unknown dtype {tensor.dtype!r:.40}"
    if tensor.content == "whole" and tensor.kept_shape != tensor.shape:
        yield f"{name} is whole but keeps another shape"
    if tensor.content == "preview" and not _is_sample(tensor):
        yield f"{name} has a preview that is no sample of it"
    if tensor.content == "whole" and tensor.note:
        yield f"{name} is whole but has a note why not"
    if tensor.storage is not None and not 0 < tensor.storage < _MOST:
        yield f"{name} lies in a memory whose number none can have"


def _is_sample(tensor: TensorRecord) -> bool:
    if not len(tensor.shape) == len(tensor.kept_shape) == len(tensor.kept_steps):
        return False
    sizes = zip(tensor.shape, tensor.kept_shape, tensor.kept_steps, strict=True)
    return all(step > 0 and kept == -(-size // step) for size, kept, step in sizes)
