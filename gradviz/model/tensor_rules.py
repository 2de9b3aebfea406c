"""Validation of the tensor records of a trace, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Set

from gradviz.model.columns import TensorColumns, TensorColumnsMaker
from gradviz.model.tensor import ITEM_SIZES, TensorRecord

_MOST = 1 << 63


class TensorRules:
    """Checks all tensor records in order and collects the problems.

    Attributes:
        shapes: Shapes of the requested tensors, by number.
        problems: One sentence each.
    """

    def __init__(self, wanted: Set[int]) -> None:
        """Takes the numbers of the tensors whose shapes are requested."""
        self.shapes: dict[int, tuple[int, ...]] = {}
        self._wanted = wanted
        self._columns = TensorColumnsMaker()
        self._last = 0
        self.problems: list[str] = []

    def check(self, tensor: TensorRecord) -> None:
        """Check the next tensor."""
        if not self._last < tensor.id < _MOST:
            self.problems.append(f"ids of kind tensor do not ascend: {tensor.id}")
        self._last = tensor.id
        self._columns.add(tensor)
        if tensor.id in self._wanted:
            self.shapes[tensor.id] = tensor.shape
        if not _is_fine(tensor):
            self.problems += _problems_of(tensor)

    def columns(self) -> TensorColumns:
        """The checked tensors in columns; valid only if there are no problems."""
        return self._columns.columns()

    @property
    def ids(self) -> list[int]:
        """Numbers of the tensors checked so far."""
        return self._columns.ids


def _is_fine(tensor: TensorRecord) -> bool:
    """Whether a tensor passes the quick check for whole tensors; others need a full one."""
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
        yield f"{name} is whole but its kept elements have a different shape"
    if tensor.content == "preview" and not _is_sample(tensor):
        yield f"{name} has a preview that is not a sample of it"
    if tensor.content == "whole" and tensor.note:
        yield f"{name} is whole but has a note on why it is not"
    if tensor.storage is not None and not 0 < tensor.storage < _MOST:
        yield f"{name} has an invalid storage number"


def _is_sample(tensor: TensorRecord) -> bool:
    if not len(tensor.shape) == len(tensor.kept_shape) == len(tensor.kept_steps):
        return False
    sizes = zip(tensor.shape, tensor.kept_shape, tensor.kept_steps, strict=True)
    return all(step > 0 and kept == -(-size // step) for size, kept, step in sizes)
