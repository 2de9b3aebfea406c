"""A whole trace: everything a reader needs except the elements of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from gradviz.model.call import FunctionCall
from gradviz.model.changes import ChangeRecord
from gradviz.model.console import ConsoleCut, ConsoleText
from gradviz.model.finding import Finding
from gradviz.model.graph import Edge, ModuleCall, Node, SavedSlot
from gradviz.model.inside import Inside, RecordingLevel
from gradviz.model.jacobian import JacobianReport
from gradviz.model.source import Source
from gradviz.model.step import Step
from gradviz.model.tensor import TensorRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What produced the trace.

    Attributes:
        title: For people, like ``LinearFunction, merged``.
        subject: What was run: ``scene:linear``, ``file.py:Name`` or ``script.py``.
        created: ISO 8601, UTC.
        gradviz: Version of this package.
        python: Version of the interpreter.
        torch: Version of torch.
        numpy: Version of numpy.
        platform: As ``platform.platform()`` gives it.
        device: Device on which the inputs were made, like ``cpu`` or ``cuda:0 (NVIDIA H200)``.
        seed: Seed of the random number generators; None where it was left alone.
        level: How deep the recording goes.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How the recording ended; missing where its process died.

    Attributes:
        kind: ``finished``, or ``failed`` where the run raised.
        message: One sentence for ``failed``; empty for ``finished``.
        duration_ns: Wall time from start to stop.
    """

    kind: Literal["finished", "failed"]
    message: str
    duration_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """All records of a trace, each kind ordered by id; steps ordered by number.

    Steps, what is inside of them, and tensors of a file are many: there they are sequences that
    make a record when it is asked for. Whoever asks all of them one thing finds it in
    `gradviz.model.columns`.

    Attributes:
        origin: What produced it.
        nodes: The grad_fn graph's nodes.
        edges: Its edges.
        saved: What nodes saved.
        modules: Calls of modules.
        calls: Calls of custom Functions.
        steps: The run, step by step.
        insides: What was recorded inside of steps, of those in which something was.
        tensors: What is known of each tensor.
        sources: Source files.
        console: What was printed.
        cuts: What was printed beyond the budget.
        findings: Things worth telling.
        reports: Jacobian checks.
        changes: Values that were changed in the run, to see what would be if they were others.
        outcome: None while the run goes on, and for ever where its process died.
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
    sources: tuple[Source, ...] = ()
    console: tuple[ConsoleText, ...] = ()
    cuts: tuple[ConsoleCut, ...] = ()
    findings: tuple[Finding, ...] = ()
    reports: tuple[JacobianReport, ...] = ()
    changes: tuple[ChangeRecord, ...] = ()
    outcome: Outcome | None = None


Record = (
    Node
    | Edge
    | SavedSlot
    | ModuleCall
    | FunctionCall
    | Step
    | Inside
    | TensorRecord
    | Source
    | ConsoleText
    | ConsoleCut
    | Finding
    | JacobianReport
    | ChangeRecord
)
"""Whatever a writer can put into a trace one at a time."""
