"""The part of a trace that may be shown: all of it, or in quiz mode what is revealed so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.quiz_answers import (
    has_quiz_answer,
    quiz_answer_items,
    quiz_answer_tensors,
)
from gradviz.model.console import ConsoleActivity, ConsoleText
from gradviz.model.finding import Finding
from gradviz.model.item import Item


@dataclass(frozen=True, slots=True, kw_only=True)
class RevealedTrace:
    """A trace with the results that may be shown now; see `gradviz.analysis.quiz_answers`.

    Which steps there are, and the graph, are never hidden.

    Attributes:
        index: The trace; None if none is shown.
        until: Number of the last step whose results may be shown.
        hidden_step: Number of the current step while its results are hidden; None if they are not.
    """

    # Left out of comparisons, which would otherwise go through the whole trace.
    index: TraceIndex | None = field(default=None, compare=False)
    until: int = 0
    hidden_step: int | None = None

    @classmethod
    def of_all(cls, index: TraceIndex | None) -> RevealedTrace:
        """Return the view that hides nothing of a trace."""
        return cls(index=index, until=0 if index is None else len(index.trace.steps))

    @classmethod
    def before_answer(cls, index: TraceIndex, number: int) -> RevealedTrace:
        """Return the view that hides the results of a step, and of all later ones."""
        return cls(index=index, until=number - 1, hidden_step=number)

    @property
    def is_complete(self) -> bool:
        """Whether the results of all steps may be shown."""
        return self.index is None or self.until >= len(self.index.trace.steps)

    @property
    def hides_answer(self) -> bool:
        """Whether the results of the current step are hidden."""
        return self.hidden_step is not None

    def shows(self, number: int | None) -> bool:
        """Return whether the results of a step may be shown; True for None, the whole run."""
        return number is None or number <= self.until

    def shows_incoming(self, number: int) -> bool:
        """Return whether the gradients that a step receives may be shown: earlier steps did."""
        return number <= self.until + 1

    def shows_outgoing(self, number: int) -> bool:
        """Return whether the gradients that a node's step computes may be shown."""
        return self.shows(number) or (
            self.index is not None and not has_quiz_answer(step_at(self.index, number))
        )

    def answer_items(self, number: int) -> tuple[Item, ...]:
        """Return the results of a step whose values quiz mode hides; their names may be shown."""
        return () if self.index is None else quiz_answer_items(step_at(self.index, number))

    def shown_nodes(self, nodes: tuple[int, ...]) -> tuple[int, ...]:
        """Return the nodes of which the results of all executions may be shown."""
        if self.index is None or self.is_complete:
            return nodes
        visits = self.index.visits
        return tuple(node for node in nodes if self.shows(max(visits.get(node, (0,)))))

    @property
    def hidden_tensors(self) -> frozenset[int]:
        """Ids of the tensors that would reveal the answer of the current step."""
        if self.index is None or self.hidden_step is None:
            return frozenset()
        return quiz_answer_tensors(self.index, step_at(self.index, self.hidden_step))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings about the recording and about steps that may be shown, in recorded order."""
        found = () if self.index is None else self.index.trace.findings
        return found if self.is_complete else tuple(each for each in found if self.shows(each.step))

    def last_error_line(self) -> str:
        """The last line that the run has printed to stderr; empty if there is none."""
        printed = self.console("run")
        lines = "".join(each.text for each in printed if each.stream == "stderr").split("\n")
        return next((line for line in reversed(lines) if line.strip()), "")

    def console(self, activity: ConsoleActivity) -> tuple[ConsoleText, ...]:
        """Return the output of the run or of a check that was certainly printed by now.

        A text that belongs to no step is only included if a text of a shown step follows, and the
        output of a check only with the whole run, since it could contain an answer.
        """
        texts = () if self.index is None else self.index.trace.console
        texts = tuple(text for text in texts if text.activity == activity)
        if self.is_complete:
            return texts
        if activity == "check":
            return ()
        end = 0
        for place, text in enumerate(texts, 1):
            if not self.shows(text.step):
                break
            end = place if text.step is not None else end
        return texts[:end]
