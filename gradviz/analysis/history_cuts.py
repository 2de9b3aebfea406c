"""Places where gradients lose their graph, which makes second derivatives incomplete."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from msgspec import Struct

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.messages import say, say_list
from gradviz.model.finding import Finding
from gradviz.model.item import Item
from gradviz.model.source import Location, source_lines
from gradviz.model.step import NodeStep

HistoryCutKind = Literal["saved", "context", "lost", "unseen", "once", "skipped", "ended"]

PREFIX = "second_order_cut_"
"""Prefix of the codes of findings that are cuts; the kind follows."""

_ENDED = ("no_history", "history_hidden", "parameter_cut_off")
"""Codes of findings on the end of a history in forward."""


class HistoryCut(Struct, frozen=True, kw_only=True):
    """A place at which all or part of a gradient lost its graph.

    Attributes:
        kind: ``saved``: forward saved a value that is neither an input nor an output. ``context``:
            forward stored a computed tensor on ``ctx``. ``lost``: a call in backward, such as
            ``detach``. ``unseen``: somewhere in backward. ``once``: ``once_differentiable``, where
            no error node reports it. ``skipped``: at an error node that leads to no requested
            input. ``ended``: in forward, a call such as ``detach``, after which backward reaches
            nothing.
        step: Number of the step in which it happened.
        node: Node whose backward computed the gradient, or that was skipped; for ``ended``, the
            last one before the call.
        argument: Index of the gradient among the values that ``backward`` returned; None for
            ``skipped`` and ``ended``.
        gradient: Name of that value; empty for ``skipped`` and ``ended``.
        whole: Whether the gradient has no graph at all.
        value: Names of the forward values that cause it, if any; for ``ended``, the line of code.
        location: Line at which the graph was lost; None if unknown.
        message: What happened, what follows from it and how to fix it.
    """

    kind: HistoryCutKind
    step: int
    node: int
    argument: int | None
    gradient: str
    whole: bool
    value: str
    location: Location | None
    message: str


def history_cuts(index: TraceIndex) -> tuple[HistoryCut, ...]:
    """All recorded cuts, in order of discovery."""
    told = (each for each in index.trace.findings if each.code.startswith(PREFIX))
    found = (cut_of_finding(index, each) for each in told)
    return tuple([each for each in found if each is not None])


def history_ends(index: TraceIndex) -> tuple[HistoryCut, ...]:
    """Where the histories of tensors end that a pass starts from, or would have to reach."""
    return tuple(
        [
            HistoryCut(
                kind="ended",
                step=each.step,
                node=each.node,
                argument=None,
                gradient="",
                whole=True,
                value=_code(index, each.location),
                location=each.location,
                message=each.message,
            )
            for each in index.trace.findings
            if each.code in _ENDED and each.step is not None and each.node is not None
        ]
    )


def _code(index: TraceIndex, location: Location | None) -> str:
    if location is None or location.source is None:
        return ""
    lines = source_lines(index.source[location.source].text)
    return "".join(lines[location.line - 1 : location.line]).strip()


def cut_of_finding(index: TraceIndex, finding: Finding) -> HistoryCut | None:
    """The cut that a finding reports; None if it reports something else."""
    kind = next((each for each in get_args(HistoryCutKind) if finding.code == PREFIX + each), None)
    if kind is None or finding.step is None or finding.node is None:
        return None
    step = step_at(index, finding.step)
    item = _returned(step, finding.argument) if isinstance(step, NodeStep) else None
    record = None if item is None or item.tensor is None else index.tensor[item.tensor]
    return HistoryCut(
        kind=kind,
        step=finding.step,
        node=finding.node,
        argument=finding.argument,
        gradient="" if item is None else item.name,
        whole=record is not None and not record.requires_grad,
        value=_to_blame(index, kind, finding.node),
        location=finding.location,
        message=finding.message,
    )


def cut_sentences(cuts: Sequence[HistoryCut]) -> tuple[str, ...]:
    """Short sentences on the effect of one step's cuts, one for each cause."""
    names: dict[tuple[str, str], list[str]] = {}
    for cut in cuts:
        if cut.kind != "skipped":
            extent = "whole" if cut.whole else "part"
            names.setdefault((extent, _cause(cut)), []).append(cut.gradient)
    return tuple(
        [
            say(
                f"cut.at.{extent}{'.several' if len(gradients) > 1 else ''}",
                gradient=say_list(gradients),
                cause=cause,
            )
            for (extent, cause), gradients in names.items()
        ]
    )


def _cause(cut: HistoryCut) -> str:
    if cut.kind == "lost" and cut.location is not None:
        return say("cut.cause.lost.line", line=cut.location.line)
    return say(f"cut.cause.{cut.kind}", value=cut.value)


def missing_cuts(index: TraceIndex, pass_id: int) -> tuple[HistoryCut, ...]:
    """The cuts that make the results of a pass incomplete."""
    # A first-order pass does not run through the graphs of gradients.
    if index.orders.of_pass(pass_id) < 2:
        return ()
    sources = index.orders.sources.get(pass_id, ())
    ran = _steps_that_made(index, pass_id)
    found = []
    for cut in history_cuts(index):
        at = step_at(index, cut.step)
        if at is None:
            continue
        if cut.kind == "skipped":
            counts = at.pass_id == pass_id
        else:
            # A gradient that kept part of its graph matters only if the pass ran that part.
            counts = at.pass_id in sources and (cut.whole or cut.step in ran)
        if counts:
            found.append(cut)
    return tuple(found)


def missing_sentences(index: TraceIndex, pass_id: int) -> tuple[str, ...]:
    """Sentences on the cuts that make the results of a pass incomplete, without repeats."""
    told = (
        cut.message
        if cut.kind == "skipped"
        else say(
            f"cut.missing.{'whole' if cut.whole else 'part'}", gradient=cut.gradient, step=cut.step
        )
        for cut in missing_cuts(index, pass_id)
    )
    return tuple(dict.fromkeys(told))


def _steps_that_made(index: TraceIndex, pass_id: int) -> frozenset[int]:
    """The steps that created the nodes that a pass executed."""
    nodes = index.steps.nodes[index.steps.passes == pass_id].tolist()
    made = (index.node[node].made_in for node in nodes if node in index.node)
    return frozenset(step for step in made if step is not None)


def _returned(step: NodeStep, argument: int | None) -> Item | None:
    if argument is None or argument >= len(step.returned):
        return None
    return step.returned[argument]


def _to_blame(index: TraceIndex, kind: HistoryCutKind, node: int) -> str:
    """Names of values that forward stored without a graph, as far as recorded."""
    if kind == "saved":
        roles = ("intermediate", "view_of_input")
        slots = [each for each in index.saved.get(node, ()) if each.role in roles]
        return say_list([each.item.name for each in slots])
    call = index.node[node].call if node in index.node else None
    if kind == "context" and call in index.call:
        kept = [each for each in index.call[call].attributes if each.tensor is not None]
        return say_list([f"ctx.{each.name}" for each in kept])
    return ""
