"""The breakpoints as a document: what to stop at, hits, and a note."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import PurePath
from typing import cast

from gradviz.analysis.breakpoints.breakpoint import (
    AtFunction,
    AtLine,
    AtNode,
    Breakpoint,
    BreakpointTarget,
    Condition,
    PassDirection,
    WhenDtype,
    WhenNorm,
    WhenNotFinite,
    WhenPrinted,
    WhenRaised,
    WhenShape,
    WhenSign,
)
from gradviz.analysis.breakpoints.hits import BreakpointHits, NoHitReason, count_hits_until
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_count
from gradviz.catalogue.numbers import number_text
from gradviz.document.document import Document, Field, FieldTone, Row
from gradviz.text.punctuation import join_sentences


def breakpoint_title(target: BreakpointTarget, index: TraceIndex | None) -> str:
    """Return a short description of what a breakpoint stops at."""
    match target:
        case AtNode():
            return _directed(target.direction, _node_title(target, index))
        case AtFunction():
            text = say("breakpoint.each", name=target.name)
            return _directed(target.direction, text)
        case AtLine():
            name = PurePath(target.path).name or target.path
            if not target.text:
                return say("breakpoint.line", line=target.line, file=name)
            return say("breakpoint.line_text", line=target.line, file=name, text=target.text)
        case _:
            return _condition(target)


def _node_title(target: AtNode, index: TraceIndex | None) -> str:
    """Tell the node from others of the same name by its leaf, or the step that created it."""
    node = None if index is None else index.node.get(target.node)
    name = target.name.removeprefix("torch::autograd::")
    if index is None or node is None or node.name != target.name:
        return say("breakpoint.node", name=name)
    if node.variable_name:
        return say("breakpoint.node_leaf", name=name, leaf=node.variable_name)
    if node.id not in index.made_at:
        return say("breakpoint.node", name=name)
    return say("breakpoint.node_step", name=name, made=format_count(index.made_at[node.id]))


def _directed(direction: PassDirection, text: str) -> str:
    return text if direction == "both" else say(f"breakpoint.{direction}", what=text)


def _condition(target: Condition) -> str:
    match target:
        case WhenNotFinite():
            moment = "appears" if target.appears else "present"
            return say(f"breakpoint.{target.kind}_{moment}")
        case WhenNorm():
            what = "gradient" if target.gradients else "tensor"
            moment = "rises" if target.appears else "is"
            limit = number_text(target.above, 6)
            return say(f"breakpoint.{what}_norm_{moment}", limit=limit)
        case WhenSign():
            name = f"{target.name}.grad" if target.gradient else target.name
            element = ", ".join(map(str, target.element))
            if not target.element:
                return say("breakpoint.sign", name=name)
            return say("breakpoint.element_sign", name=name, element=element)
        case WhenShape():
            return say("breakpoint.shape_changes")
        case WhenDtype():
            return say("breakpoint.dtype_changes")
        case WhenPrinted():
            return say("breakpoint.printed")
        case WhenRaised():
            return say("breakpoint.raised")


def hits_text(found: BreakpointHits | None, place: TracePosition | None) -> str:
    """Return the number of hits, and which of them the current position is at."""
    if found is None:
        return say("breakpoint.searching")
    count = len(found.places)
    if not count or place is None:
        return say("breakpoint.none") if not count else _hits(count)
    passed = count_hits_until(found.places, place)
    if passed and found.places[passed - 1] == place:
        return say("breakpoint.at_hit", number=format_count(passed), count=format_count(count))
    if not passed:
        return say("breakpoint.ahead", hits=_hits(count))
    return say("breakpoint.behind", hits=_hits(count), passed=format_count(passed))


def _hits(count: int) -> str:
    return say_count("breakpoint.hit", count)


def breakpoint_note(target: BreakpointTarget, found: BreakpointHits | None) -> str:
    """Return why there are no hits and what was not searched; empty if nothing to say."""
    if found is None:
        return ""
    notes = [_why(target, found.why)] if found.why is not None else []
    if found.unexamined.tensors:
        notes.append(say_count("breakpoint.unstored", found.unexamined.tensors))
    if found.unexamined.lines:
        notes.append(say("breakpoint.no_lines"))
    return join_sentences(notes)


def _why(target: BreakpointTarget, why: NoHitReason) -> str:
    return _never(target) if why == "never" else say(f"breakpoint.why.{why}")


def _never(target: BreakpointTarget) -> str:
    match target:
        case WhenNotFinite(kind=kind):
            return say("breakpoint.never.nan" if kind == "nan" else "breakpoint.never.inf")
        case WhenNorm(gradients=gradients):
            return say(f"breakpoint.never.{'gradient' if gradients else 'tensor'}_norm")
        case WhenPrinted():
            return say("breakpoint.never.printed")
        case WhenRaised():
            return say("breakpoint.never.raised")
        case _:
            return say("breakpoint.never")


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakpointsNow:
    """What is known of breakpoints at a place of a run.

    Attributes:
        points: The breakpoints.
        found: Returns the hits of one; None while they are not known.
        is_changed: Tells whether the line of one has other text than when it was set.
        index: The trace; None without a run.
        place: The current position.
        is_complete: Whether all results may be shown.
    """

    points: tuple[Breakpoint, ...]
    found: Callable[[BreakpointTarget], BreakpointHits | None]
    is_changed: Callable[[BreakpointTarget], bool]
    index: TraceIndex | None
    place: TracePosition | None
    is_complete: bool

    def document(self) -> Document:
        """Return a row for each breakpoint, by its target; its box enables or disables it."""
        enabled = {point.target: point.enabled for point in self.points}
        titles = (
            say("breakpoint.stop_at"),
            say("breakpoint.hits"),
            say("breakpoint.note"),
        )

        def row(key: Hashable) -> Row:
            target = cast("BreakpointTarget", key)
            is_on = enabled[target]
            texts = (breakpoint_title(target, self.index), self._hits(target), self._note(target))
            tones: tuple[FieldTone, ...] = ("plain" if is_on else "muted",) * 2 + ("muted",)
            off = "" if is_on else say("breakpoint.disabled")
            return Row(
                fields=tuple([Field(text=a, tone=b) for a, b in zip(texts, tones, strict=True)]),
                spoken=", ".join(filter(None, (*texts, off))),
                is_on=is_on,
            )

        return Document(titles=titles, keys=tuple(enabled), row=row, has_boxes=True)

    def _hits(self, target: BreakpointTarget) -> str:
        found = self.found(target)
        if self.index is None:
            return ""
        if found is not None and not found.places and not self.is_complete:
            return say("breakpoint.none_yet")
        return hits_text(found, self.place)

    def _note(self, target: BreakpointTarget) -> str:
        changed = say("breakpoint.line_changed")
        note = changed if self.is_changed(target) else ""
        more = breakpoint_note(target, self.found(target)) if self.is_complete else ""
        return join_sentences((note, more))
