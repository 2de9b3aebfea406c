"""State of a node while the engine executes it."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.model.item import Item
from gradviz.model.source import Location
from gradviz.recorder.autograd_graph import NodeFacts
from gradviz.recorder.backward.gradient_conversion import ReturnedForm
from gradviz.recorder.inside.open_stage import OpenStage
from gradviz.recorder.tensors.version_watch import TensorVersionWatch


@dataclass(slots=True)
class OpenNode:
    """A node that the engine is executing.

    Attributes:
        since: Sequence number when execution began.
        raw: Shapes and dtypes that the user's backward returned; None before it returns.
        generation: Generation of the tensor numbers when it returned.
        part: The open stage, if stages are recorded.
        return_location: The ``return`` that the user's backward executed; None if unknown.
        passes_before: Number of passes that had begun when the user's backward was called.
        watch: Detects whether the user's backward writes to the gradients it received.
    """

    facts: NodeFacts
    pass_id: int
    step: int
    started: int
    since: int
    thread: str
    incoming: tuple[Item, ...]
    received: tuple[Item, ...] = ()
    returned: tuple[Item, ...] = ()
    raw: tuple[ReturnedForm, ...] | None = None
    generation: int = -1
    part: OpenStage | None = None
    return_location: Location | None = None
    passes_before: int = 0
    watch: TensorVersionWatch | None = None
