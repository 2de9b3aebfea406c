"""A write to the memory of a tensor, by a torch function that the run has called."""

from gradviz.model.codec import Natural, TraceRecord
from gradviz.model.item import Item
from gradviz.model.source import Location


class InPlaceWrite(TraceRecord, frozen=True, kw_only=True):
    """A torch function that changed a tensor in place, in a step or between two steps.

    Only writes to memory that the trace already knows are recorded. Updates by an optimizer and the
    engine's additions to ``.grad`` are steps.

    Attributes:
        id: Number in the trace, in order.
        op: Name of the function, such as ``mul_`` or ``setitem``.
        step: The step that it is part of; None for one outside of all steps, as under ``no_grad``.
        after_step: Number of the last step that had begun when it ended; 0 before the first.
        after_saved: Id of the last `SavedSlot` that was recorded before it; 0 for none.
        target: The elements that were written, after the write, named as in the source. For
            ``x[i] = v`` with an index that is no slice, all of ``x``.
        location: Line that called it; None if unknown.
        counted: Whether it moved the version counter of the tensors that share its memory; False
            through ``.data``, which has a counter of its own.
    """

    id: Natural
    op: str
    step: Natural | None
    after_step: Natural
    after_saved: Natural
    target: Item
    location: Location | None
    counted: bool = True
