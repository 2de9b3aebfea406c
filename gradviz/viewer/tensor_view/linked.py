"""Which element of one tensor belongs to the pinned element of another."""

from __future__ import annotations

from gradviz.model.index import Index
from gradviz.model.lineage import Lineage
from gradviz.viewer.sights import Element


def index_in(
    index: Index | None, lineage: Lineage | None, tensor: int | None, element: Element | None
) -> tuple[int, ...] | None:
    """Where a tensor marks the pinned element; None where it has nothing to do with it.

    A tensor and its gradients have one shape and are related, so the same index belongs together.

    Args:
        index: The trace.
        lineage: Which tensors are related; without it, only the tensor itself is marked.
        tensor: Number of the tensor that is shown.
        element: What is pinned.
    """
    if index is None or tensor is None or element is None:
        return None
    if tensor == element.tensor:
        return element.index
    if lineage is None or not lineage.related(tensor, element.tensor):
        return None
    here, there = index.tensor.get(tensor), index.tensor.get(element.tensor)
    same = here is not None and there is not None and here.shape == there.shape
    return element.index if same else None
