"""Maps the pinned element of one tensor to the matching element of another."""

from __future__ import annotations

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.provenance.tensor_lineage import TensorLineage
from gradviz.viewer.tensor_refs import ElementRef


def index_in(
    index: TraceIndex | None,
    lineage: TensorLineage | None,
    tensor: int | None,
    element: ElementRef | None,
) -> tuple[int, ...] | None:
    """Index at which a tensor marks the pinned element; None if the two are unrelated.

    A tensor and its gradients have the same shape and are related, so the same index applies to
    all of them.

    Args:
        index: The trace.
        lineage: Which tensors are related; without it, only the pinned tensor itself is marked.
        tensor: ID of the tensor that is shown.
        element: The pinned element.
    """
    if index is None or tensor is None or element is None:
        return None
    if tensor == element.tensor:
        return element.index
    if lineage is None or not lineage.related(tensor, element.tensor):
        return None
    own_record, other_record = index.tensor.get(tensor), index.tensor.get(element.tensor)
    same = (
        own_record is not None
        and other_record is not None
        and own_record.shape == other_record.shape
    )
    return element.index if same else None
