"""Nodes in which something went wrong, so that no folded group hides it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.messages import say
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.model.columns import INFINITIES, NANS
from gradviz.model.step import AccumulateStep, ErrorStep, NodeStep
from gradviz.model.step_values import VALUES, values_of

NodeProblemKind = Literal["error", "warning", "nan", "infinity"]

_GRAVEST_FIRST: tuple[NodeProblemKind, ...] = ("error", "nan", "infinity", "warning")

ERROR_COLORS: tuple[PaletteRole, PaletteRole] = ("error", "error_fill")
WARNING_COLORS: tuple[PaletteRole, PaletteRole] = ("warning", "warning_fill")

QUICK = 16 << 20
"""Bytes of tensors checked before the first drawing; the rest follow while it is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeProblems:
    """Known problems of a trace.

    Attributes:
        of: Problems by node, in the order in which they occurred.
        complete: Whether all recorded gradients were checked.
    """

    of: dict[int, frozenset[NodeProblemKind]]
    complete: bool = True


def find_node_problems(
    index: TraceIndex, most: int | None = None, cancelled: Callable[[], bool] = bool
) -> NodeProblems:
    """Collect errors, findings other than hints, and gradients that are not finite.

    Args:
        index: The trace.
        most: Maximum number of bytes of tensors to check; None for no limit.
        cancelled: Called now and then; if it returns True, the result is incomplete.
    """
    found: dict[int, set[NodeProblemKind]] = {}
    for node, kind in _recorded_problems(index):
        found.setdefault(node, set()).add(kind)
    complete = index.finite.look(most, cancelled)
    non_finite = index.finite.not_finite()
    for node, tensor in _gradients(index) if non_finite else ():
        if tensor in non_finite:
            found.setdefault(node, set()).update(_named(non_finite[tensor]))
    of = {node: frozenset(each) for node, each in found.items() if each}
    return NodeProblems(of=of, complete=complete)


def node_problem_text(node_problems: NodeProblems, nodes: Iterable[int]) -> str:
    """What went wrong in some nodes, in a few words; empty if nothing did."""
    found = {each for node in nodes for each in node_problems.of.get(node, ())}
    return ", ".join(say(f"node_problem.{each}") for each in _GRAVEST_FIRST if each in found)


def problem_colors(words: str) -> tuple[PaletteRole, PaletteRole]:
    """The colors of a `node_problem_text` and of its background; red is only for what is wrong."""
    return WARNING_COLORS if words == say("node_problem.warning") else ERROR_COLORS


def _recorded_problems(index: TraceIndex) -> Iterator[tuple[int, NodeProblemKind]]:
    # An error ends the recording, so only the last step can be one.
    for step in index.trace.steps[-1:]:
        if isinstance(step, ErrorStep) and step.node is not None:
            yield step.node, "error"
    for finding in index.trace.findings:
        # Hints are not problems, so groups need not be opened to show them.
        if finding.node is not None and finding.severity != "info":
            yield finding.node, finding.severity


def _gradients(index: TraceIndex) -> Iterator[tuple[int, int]]:
    """Each node with a gradient that it received or made, in the order of the run."""
    for step in index.trace.steps:
        if isinstance(step, NodeStep | AccumulateStep):
            for role, item in values_of(step):
                if item.tensor is not None and role not in VALUES:
                    yield step.node, item.tensor


def _named(flags: int) -> Iterator[NodeProblemKind]:
    if flags & NANS:
        yield "nan"
    if flags & INFINITIES:
        yield "infinity"
