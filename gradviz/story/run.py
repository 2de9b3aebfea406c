"""A run that a story is about, with what all of its pictures need."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from gradviz.analysis.arithmetic.element_arithmetic import Arithmetic, ArithmeticFinder
from gradviz.analysis.arithmetic.telling_elements import named_element
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.named_values import named_value
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.provenance.producer import AFTER_STAGES
from gradviz.analysis.provenance.producers import Producers
from gradviz.analysis.training.training_curves import TrainingRun, training_of
from gradviz.document.source_excerpt import SourceExcerpt, source_excerpt
from gradviz.story.graph import StoryGraph, story_graph

_STEP = re.compile(r"step (\d+) ")


@dataclass(frozen=True, kw_only=True, eq=False)
class StoryRun:
    """A run; for one thread at a time.

    Attributes:
        index: The trace.
        other: The run that it is compared with; None if there is none.
        no_other: Why that one is missing; empty if nothing is compared.
    """

    index: TraceIndex
    other: StoryRun | None = None
    no_other: str = ""

    @cached_property
    def graph(self) -> StoryGraph | str:
        """Its graph, laid out once, or why there is none."""
        return story_graph(self.index)

    @cached_property
    def finder(self) -> ArithmeticFinder:
        """Finds the arithmetic of elements; made once, as it goes through all steps."""
        return ArithmeticFinder(self.index)

    @cached_property
    def producers(self) -> Producers:
        """Finds what made a tensor."""
        return Producers(self.index)

    @cached_property
    def training(self) -> TrainingRun | None:
        """Its training curves; None if it is not training."""
        return training_of(self.index)

    def arithmetic(self, place: TracePosition, element: str) -> Arithmetic | None:
        """How an element such as ``grad_weight[0, 2]`` was computed; None if that is not known."""
        named = named_element(self.index, self.finder, place, element)
        return None if named is None else self.finder.find(place, *named)

    def code_of(self, query: str) -> SourceExcerpt | None:
        """The code around the line that made a value; None if no line of the user's did.

        Args:
            query: The value; see `gradviz.analysis.named_values`.

        Raises:
            NotFoundError: If there is no such value.
        """
        item, _ = named_value(self.index, query)
        if item.tensor is None:
            return None
        step = _STEP.match(query)
        seen = int(step[1]) if step else len(self.index.trace.steps)
        made = self.producers.of(item.tensor, (seen, AFTER_STAGES, 0))
        # A step alone would be shown as a whole function.
        if made is None or made.place.line is None:
            return None
        return source_excerpt(self.index, made.place)
