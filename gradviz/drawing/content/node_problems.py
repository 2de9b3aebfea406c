"""Nodes in which something went wrong, so that no folded group hides it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.values.non_finite_reach import NonFiniteReach
from gradviz.catalogue.messages import say
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.model.columns import INFINITIES, NANS
from gradviz.model.step import AccumulateStep, ErrorStep, ForwardStep, NodeStep
from gradviz.model.step_values import VALUES, values_of

NodeProblemKind = Literal[
    "error", "nan", "infinity", "warning", "isolated_nan", "isolated_infinity"
]
"""NaN and Inf are isolated if no root, gradient of a leaf or parameter has them (see
`NonFiniteReach`)."""

_GRAVEST_FIRST: tuple[NodeProblemKind, ...] = get_args(NodeProblemKind)
_ISOLATED: dict[NodeProblemKind, NodeProblemKind] = {
    "nan": "isolated_nan",
    "infinity": "isolated_infinity",
}

Colors = tuple[PaletteRole, PaletteRole]

ERROR_COLORS: Colors = ("error", "error_fill")
WARNING_COLORS: Colors = ("warning", "warning_fill")
ISOLATED_COLORS: Colors = ("text_muted", "panel")

QUICK = 16 << 20
"""Bytes of tensors checked before the first drawing; the rest follow while it is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeProblems:
    """Known problems of a trace.

    Attributes:
        of: Problems by node, in the order in which they occurred, each with the step at which it
            is known; 0 if it always is. Before, NaN and Inf are isolated.
        complete: Whether all recorded gradients were checked.
    """

    of: dict[int, dict[NodeProblemKind, int]]
    complete: bool = True

    @property
    def grave(self) -> list[int]:
        """The nodes with problems that do harm."""
        isolated = set(_ISOLATED.values())
        return [node for node, kinds in self.of.items() if kinds.keys() - isolated]


def find_node_problems(
    index: TraceIndex, most: int | None = None, cancelled: Callable[[], bool] = bool
) -> NodeProblems:
    """Collect errors, findings other than hints, and NaN and Inf in gradients and in results.

    Args:
        index: The trace.
        most: Maximum number of bytes of tensors to check; None for no limit. Until all of them
            are checked, the result has no isolated NaN and Inf.
        cancelled: Called now and then; if it returns True, the result is incomplete.
    """
    found: dict[int, dict[NodeProblemKind, int]] = {}
    for node, kind in _recorded_problems(index):
        found.setdefault(node, {})[kind] = 0
    complete = index.finite.look(most, cancelled)
    non_finite = index.finite.not_finite()
    reach = NonFiniteReach(index, cancelled)
    for node, step, tensor in _gradients(index) if non_finite else ():
        for kind in _named(non_finite.get(tensor, 0)):
            reaches, known = reach.of(tensor, step), found.setdefault(node, {})
            if reaches is None:
                # Before all are checked, nobody knows how far it gets.
                known |= {_ISOLATED[kind]: 0} if complete else {}
            else:
                known[kind] = min(reaches, known.get(kind, reaches))
    for node, step, tensor in _results(index) if non_finite else ():
        for kind in _named(non_finite.get(tensor, 0)):
            # A result that reaches nothing, such as a masked score, is no matter of the node.
            if (reaches := reach.of(tensor, step)) is not None:
                known = found.setdefault(node, {})
                known[kind] = min(reaches, known.get(kind, reaches))
    of = {node: each for node, each in found.items() if each}
    return NodeProblems(of=of, complete=complete)


def node_problem_text(
    node_problems: NodeProblems, nodes: Iterable[int], shows: Callable[[int], bool] = bool
) -> str:
    """What went wrong in some nodes, in a few words; empty if nothing did.

    ``shows`` tells whether the results of a step may be shown.
    """
    found = set()
    for node in nodes:
        for kind, since in node_problems.of.get(node, {}).items():
            found.add(kind if not since or shows(since) else _ISOLATED[kind])
    for kind, isolated in _ISOLATED.items():
        if kind in found:
            found.discard(isolated)
    return ", ".join(say(f"node_problem.{each}") for each in _GRAVEST_FIRST if each in found)


def problem_known_since(node_problems: NodeProblems, nodes: Iterable[int]) -> int:
    """The first step that shows all that `node_problem_text` says about some nodes."""
    return max((0, *(max(node_problems.of.get(node, {}).values(), default=0) for node in nodes)))


def problem_colors(words: str) -> Colors:
    """The colors of a `node_problem_text` and of its background; red is only for what is wrong."""
    named = words.split(", ")
    gravest = next(each for each in _GRAVEST_FIRST if say(f"node_problem.{each}") in named)
    if gravest in _ISOLATED.values():
        return ISOLATED_COLORS
    return WARNING_COLORS if gravest == "warning" else ERROR_COLORS


def _recorded_problems(index: TraceIndex) -> Iterator[tuple[int, NodeProblemKind]]:
    # An error ends the recording, so only the last step can be one.
    for step in index.trace.steps[-1:]:
        if isinstance(step, ErrorStep) and step.node is not None:
            yield step.node, "error"
    for finding in index.trace.findings:
        # Hints are not problems, so groups need not be opened to show them.
        if finding.node is not None and finding.severity != "info":
            yield finding.node, finding.severity


def _gradients(index: TraceIndex) -> Iterator[tuple[int, int, int]]:
    """Each node with a step and a gradient that it received or made, in the order of the run."""
    for step in index.trace.steps:
        if isinstance(step, NodeStep | AccumulateStep):
            for role, item in values_of(step):
                if item.tensor is not None and role not in VALUES:
                    yield step.node, step.number, item.tensor


def _results(index: TraceIndex) -> Iterator[tuple[int, int, int]]:
    """Each node with the forward call that created it and a result of that call."""
    for step in index.trace.steps:
        if isinstance(step, ForwardStep) and step.node is not None:
            for item in step.outputs:
                if item.tensor is not None:
                    yield step.node, step.number, item.tensor


def _named(flags: int) -> Iterator[Literal["nan", "infinity"]]:
    if flags & NANS:
        yield "nan"
    if flags & INFINITIES:
        yield "infinity"
