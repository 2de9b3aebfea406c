"""A whole trace: everything that a reader needs except the elements of tensors."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from gradviz.model.console import ConsoleCut, ConsoleText
from gradviz.model.finding import Finding
from gradviz.model.function_call import FunctionCall
from gradviz.model.graph import Edge, ModuleCall, Node, SavedSlot
from gradviz.model.in_place_write import InPlaceWrite
from gradviz.model.inside import Inside, RecordingLevel
from gradviz.model.jacobian_report import JacobianReport
from gradviz.model.pass_numbers import PassNumbers
from gradviz.model.settings.recording_scope import WHOLE_RUN, RecordingScope
from gradviz.model.source import SourceFile
from gradviz.model.step import Step
from gradviz.model.tensor import TensorRecord
from gradviz.model.what_if import ChangeRecord


class Origin(Struct, frozen=True, kw_only=True):
    """Origin of a trace: what was run, and in which environment.

    Attributes:
        title: Title for people, such as ``LinearFunction, merged``.
        subject: What was run: ``scene:linear``, ``file.py:Name`` or ``script.py``.
        created: ISO 8601, UTC.
        gradviz: Version of this package.
        python: Version of the interpreter.
        torch: Version of torch.
        numpy: Version of numpy.
        platform: Result of ``platform.platform()``.
        device: Device of the inputs, such as ``cpu`` or ``cuda:0 (NVIDIA H200)``.
        seed: Seed of the random number generators; None if it was not set.
        level: Level of detail of the recording.
    """

    title: str
    subject: str
    created: str
    gradviz: str
    python: str
    torch: str
    numpy: str
    platform: str
    device: str
    seed: int | None
    level: RecordingLevel = "nodes"


class Outcome(Struct, frozen=True, kw_only=True):
    """How the recording ended; missing if its process died.

    Attributes:
        kind: ``finished``; ``failed`` if the run raised; ``stopped`` if its process was ended: at a
            limit, by Cancel, or by a crash.
        message: One sentence for ``failed`` and ``stopped``; empty for ``finished``.
        duration_ns: Wall time from start to stop; 0 for ``stopped``.
    """

    kind: Literal["finished", "failed", "stopped"]
    message: str
    duration_ns: int


class Trace(Struct, frozen=True, kw_only=True):
    """All records of a trace, each kind ordered by id, steps ordered by number.

    Large tables of a file (steps, what is inside them, tensors) are sequences that create a record
    on demand. To query all their rows at once, use `gradviz.model.columns`.

    Attributes:
        origin: What was run, and in which environment.
        nodes: Nodes of the grad_fn graph.
        edges: Edges of the grad_fn graph.
        saved: Values that nodes saved.
        modules: Module calls.
        calls: Calls of custom Functions.
        steps: The run, step by step.
        insides: What was recorded inside steps, for steps that have something inside.
        tensors: Metadata of each tensor.
        sources: Source files.
        console: Printed text.
        cuts: Amount of printed text beyond the limit.
        findings: Findings about the run.
        reports: Results of Jacobian checks.
        changes: What If changes made in the run.
        writes: Changes in place by torch functions.
        outcome: How the recording ended; None while the run goes on, or if its process died.
        scope: Which part of the run was recorded.
        numbers: Losses and gradient norms of all passes, if most of them were not recorded.
    """

    origin: Origin
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    saved: tuple[SavedSlot, ...] = ()
    modules: tuple[ModuleCall, ...] = ()
    calls: tuple[FunctionCall, ...] = ()
    steps: Sequence[Step] = ()
    insides: Sequence[Inside] = ()
    tensors: Sequence[TensorRecord] = ()
    sources: tuple[SourceFile, ...] = ()
    console: tuple[ConsoleText, ...] = ()
    cuts: tuple[ConsoleCut, ...] = ()
    findings: tuple[Finding, ...] = ()
    reports: tuple[JacobianReport, ...] = ()
    changes: tuple[ChangeRecord, ...] = ()
    writes: tuple[InPlaceWrite, ...] = ()
    outcome: Outcome | None = None
    scope: RecordingScope = WHOLE_RUN
    numbers: tuple[PassNumbers, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether the recording continues to the end of the run, or to its exception."""
        return self.outcome is not None and self.outcome.kind != "stopped"


Record = (
    Node
    | Edge
    | SavedSlot
    | ModuleCall
    | FunctionCall
    | Step
    | Inside
    | TensorRecord
    | SourceFile
    | ConsoleText
    | ConsoleCut
    | Finding
    | JacobianReport
    | ChangeRecord
    | InPlaceWrite
)
"""Records that a writer can add to a trace one at a time."""
