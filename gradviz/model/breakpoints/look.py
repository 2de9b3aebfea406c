"""Search a trace for the places where a breakpoint hits, or the reason why it never does."""

from __future__ import annotations

from collections.abc import Iterable

from gradviz.model.breakpoints.carried import carried
from gradviz.model.breakpoints.changing import CAST, REDUCED, Signs, changed
from gradviz.model.breakpoints.facts import Facts, Pause
from gradviz.model.breakpoints.found import ALL_SEEN, Found, Unseen, Why, in_order
from gradviz.model.breakpoints.lines import Lines
from gradviz.model.breakpoints.nodes import named, steps_about
from gradviz.model.breakpoints.point import (
    AtFunction,
    AtLine,
    AtNode,
    Condition,
    Target,
    WhenDtype,
    WhenNorm,
    WhenNotFinite,
    WhenPrinted,
    WhenRaised,
    WhenShape,
    WhenSign,
)
from gradviz.model.breakpoints.raising import raised
from gradviz.model.index import Index
from gradviz.model.places import Place


class Look:
    """Finds breakpoints in one trace, for one thread at a time.

    Data that several breakpoints need is computed once: the places of lines, the norms of tensors.
    """

    def __init__(self, index: Index) -> None:
        """Search the given trace."""
        self.index = index
        self._facts = Facts(index)
        self._lines: Lines | None = None

    def places_of(self, target: Target, pause: Pause = lambda: None) -> Found:
        """Find the places where a breakpoint hits.

        Args:
            target: What to stop at.
            pause: Called from time to time; an exception that it raises ends the search.
        """
        self._facts.pause = pause
        match target:
            case AtNode():
                return self._node(target)
            case AtFunction():
                return self._function(target)
            case AtLine():
                return self._line(target)
            case _:
                return self._condition(target)

    def _node(self, target: AtNode) -> Found:
        node = self.index.node.get(target.node)
        if node is None:
            return Found(why="no node")
        if node.name != target.name:
            return Found(why="other node")
        steps = steps_about(self.index, (target.node,), target.direction)
        return _found([Place(step=number) for number in steps], "node not run")

    def _function(self, target: AtFunction) -> Found:
        known, places = named(self._facts, target)
        return _found(places, "function not run" if known else "no function")

    def _line(self, target: AtLine) -> Found:
        if self._lines is None:
            self._lines = Lines(self._facts)
        if target.path not in self._lines.paths:
            return Found(why="no file")
        why: Why = "line not run" if self._has_lines else "no lines"
        return _found(self._lines.at(target.path, target.line), why)

    def _sign(self, target: WhenSign) -> Found:
        signs = Signs(self._facts, target)
        places = in_order(signs.places())
        why: Why = "never"
        if not signs.read:
            why = "no element" if signs.named else "no name"
        unseen = Unseen(tensors=signs.untold, lines=not target.gradient and not self._has_lines)
        return _found(places, why, unseen)

    def _condition(self, target: Condition) -> Found:
        facts, index = self._facts, self.index
        places: Iterable[Place]
        unseen = ALL_SEEN
        match target:
            case WhenNotFinite():
                marked = facts.not_finite(target.kind)
                places = carried(facts, marked, appears=target.appears)
                unseen = Unseen(tensors=facts.untold)
            case WhenNorm():
                marked = facts.above(target.above)
                places = carried(facts, marked, appears=target.appears, gradients=target.gradients)
                unseen = Unseen(tensors=facts.untold)
            case WhenShape():
                places = changed(facts, REDUCED, lambda record: record.shape, self._has_lines)
                unseen = Unseen(lines=not self._has_lines)
            case WhenDtype():
                places = changed(facts, CAST, lambda record: record.dtype, self._has_lines)
                unseen = Unseen(lines=not self._has_lines)
            case WhenPrinted():
                places = [Place(step=number) for number in index.printed]
            case WhenRaised():
                places = raised(facts)
            case WhenSign():
                return self._sign(target)
        return _found(places, "never", unseen)

    @property
    def _has_lines(self) -> bool:
        return self.index.trace.origin.level == "lines"


def _found(places: Iterable[Place], why: Why, unseen: Unseen = ALL_SEEN) -> Found:
    """Places in order, or a reason if there are none."""
    ordered = in_order(places)
    return Found(places=ordered, why=None if ordered else why, unseen=unseen)
