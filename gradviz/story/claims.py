"""What gradviz or torch says is wrong with a node, as the stage marks it with the evidence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.finding_kinds import finding_kind
from gradviz.catalogue.messages import say
from gradviz.drawing.content.drawn_graph import DrawnNode
from gradviz.drawing.content.node_problems import ERROR_COLORS, WARNING_COLORS, Colors
from gradviz.model.step import ErrorStep


@dataclass(frozen=True, slots=True)
class Claim:
    """What a mark says of a node.

    Attributes:
        mark: The word at the box: who says it, or that an exception was raised.
        sentence: What is wrong; empty for the exception, which has its own words.
        colors: The colors of both.
        since: The step at which it is known.
    """

    mark: str
    sentence: str
    colors: Colors
    since: int


def claims_of(index: TraceIndex, boxes: Iterable[DrawnNode]) -> dict[str, Claim]:
    """The gravest claim about each box, by id; only for the first one of those of the same nodes.

    Args:
        index: The trace.
        boxes: The boxes of a graph.
    """
    found: dict[str, Claim] = {}
    seen: set[int] = set()
    for box in boxes:
        if box.problem and seen.isdisjoint(box.nodes):
            seen.update(box.nodes)
            if (claim := _claim(index, set(box.nodes))) is not None:
                found[box.id] = claim
    return found


def _claim(index: TraceIndex, about: set[int]) -> Claim | None:
    for step in index.trace.steps[-1:]:
        if isinstance(step, ErrorStep) and step.node in about:
            return Claim(say("node_problem.error"), "", ERROR_COLORS, step.number)
    found = [each for each in index.trace.findings if each.node in about]
    for severity, colors in (("error", ERROR_COLORS), ("warning", WARNING_COLORS)):
        for each in found:
            if each.severity == severity:
                sentence = say("story.finding", title=finding_kind(each.code).title)
                return Claim("gradviz", sentence, colors, each.step or 0)
    return None


def with_claim(box: DrawnNode, claim: Claim | None) -> DrawnNode:
    """A box with space for the mark of a claim; else with what is known of its values only."""
    if claim is not None:
        return replace(box, problem=claim.mark)
    claimed = {say("node_problem.error"), say("node_problem.warning")}
    values = [each for each in box.problem.split(", ") if each not in claimed]
    return replace(box, problem=", ".join(values))
