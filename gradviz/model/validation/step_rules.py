"""Validation of the steps of a trace, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradviz.model.columns import StepColumnsBuilder
from gradviz.model.item import Item
from gradviz.model.source import Location
from gradviz.model.step import (
    AccumulateStep,
    DispatchStep,
    ErrorStep,
    ForwardStep,
    MissingStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
    PassEndStep,
    Step,
)
from gradviz.model.step_values import values_of
from gradviz.model.validation.inside_rules import KnownRecords

# Readers keep these numbers in columns of int64.
_MOST = 1 << 63


class StepRules:
    """Checks all steps in order and collects the problems.

    Attributes:
        columns: Columns of the steps checked so far; valid only without problems.
        problems: One sentence each.
    """

    def __init__(self, known: KnownRecords) -> None:
        self.problems: list[str] = []
        self._known = known
        self.columns = StepColumnsBuilder()
        self._count = 0
        self._begun: set[int] = set()
        self._open: set[int] = set()
        self._rules: dict[type[Step], Callable[[Any], None]] = {
            ForwardStep: self._forward,
            PassBeginStep: self._pass_begin,
            NodeStep: self._node,
            AccumulateStep: self._accumulate,
            PassEndStep: self._pass_end,
            ErrorStep: self._error,
            DispatchStep: self._dispatch,
            OptimizerStep: self._optimizer,
            MissingStep: self._in_begun_pass,
        }

    def check(self, step: Step) -> None:
        """Check the next step."""
        self._count += 1
        if step.number != self._count:
            self._say(
                f"steps are not numbered 1, 2, 3 ...: step {step.number} is at position "
                f"{self._count}"
            )
        items = [item for _, item in values_of(step)]
        self._has(step, items)
        self._rules[type(step)](step)
        self.columns.add(step, items)

    def _say(self, *problems: str) -> None:
        self.problems += problems

    def _has(self, step: Step, items: Sequence[Item]) -> None:
        # Sentences are built only after the quick test failed, since a valid trace needs none.
        if items and not self._known.has_all(items):
            self._say(*self._known.problems_of(f"step {step.number}", items))

    def _has_node(self, step: Step, node: int | None) -> None:
        if node is not None and node not in self._known.nodes:
            self._say(f"step {step.number} refers to a node that does not exist")

    def _has_call(self, step: ForwardStep | ErrorStep) -> None:
        if step.call is not None and step.call not in self._known.calls:
            self._say(f"step {step.number} refers to a call that does not exist")

    def _in_open_pass(self, step: NodeStep | AccumulateStep) -> None:
        if step.pass_id not in self._open:
            self._say(f"step {step.number} belongs to pass {step.pass_id}, which is not open")

    def _has_lines(self, step: Step, *locations: Location | None) -> None:
        for location in locations:
            if problem := self._known.problem_of_line(location):
                self._say(f"step {step.number} {problem}")

    def _in_begun_pass(self, step: ForwardStep | ErrorStep | DispatchStep | MissingStep) -> None:
        if step.pass_id is not None and step.pass_id not in self._begun:
            self._say(f"step {step.number} belongs to pass {step.pass_id}, which never began")

    def _forward(self, step: ForwardStep) -> None:
        self._has_node(step, step.node)
        # A single node has just been checked.
        if step.nodes != (step.node,):
            for node in step.nodes:
                self._has_node(step, node)
            if len(set(step.nodes)) < len(step.nodes):
                self._say(f"step {step.number} creates a node twice")
        self._has_lines(step, step.location)
        self._has_call(step)
        self._in_begun_pass(step)

    def _pass_begin(self, step: PassBeginStep) -> None:
        for root in step.roots:
            self._has_node(step, root.node)
        self._has_lines(step, step.location)
        if step.pass_id in self._begun:
            self._say(f"pass {step.pass_id} begins twice")
        # The parent of a pass may have been removed with the first steps.
        if step.parent is not None and not 0 < step.parent < step.pass_id:
            self._say(f"pass {step.pass_id} runs inside of one that did not begin before it")
        if not 0 < step.pass_id < _MOST:
            self._say(f"pass {step.pass_id} has an invalid number")
        self._begun.add(step.pass_id)
        self._open.add(step.pass_id)

    def _node(self, step: NodeStep) -> None:
        self._has_node(step, step.node)
        self._in_open_pass(step)
        leaves = self._known.edges.get
        for passed in step.passed:
            # Also catches an edge that does not exist, whose source is None.
            if passed.edge is not None and leaves(passed.edge) != step.node:
                self._say(f"step {step.number} refers to an edge that does not leave its node")

    def _accumulate(self, step: AccumulateStep) -> None:
        self._has_node(step, step.node)
        self._in_open_pass(step)

    def _pass_end(self, step: PassEndStep) -> None:
        for each in step.totals:
            self._has_node(step, each.node)
        if step.pass_id not in self._open:
            self._say(f"pass {step.pass_id} ends but is not open")
        # Not remove, which would raise for the pass that was just reported as not open.
        self._open.discard(step.pass_id)

    def _error(self, step: ErrorStep) -> None:
        self._has_lines(step, step.location, *step.traceback)
        self._has_node(step, step.node)
        self._has_call(step)
        self._in_begun_pass(step)

    def _dispatch(self, step: DispatchStep) -> None:
        self._has_lines(step, step.location, *(each.location for each in step.answers))
        self._in_begun_pass(step)
        if strangers := {answer.type for answer in step.answers} - set(step.types):
            self._say(
                f"step {step.number} has answers from types that were not asked: "
                f"{', '.join(sorted(strangers))}"
            )

    def _optimizer(self, step: OptimizerStep) -> None:
        self._has_lines(step, step.location)
        if step.pass_id is not None:
            self._say(f"step {step.number} is an optimizer step but belongs to a pass")
        # An optimizer step that raised may lack the values after it.
        moved = len(step.after) if step.finished else len(step.before)
        if not len(step.before) == len(step.gradients) == moved:
            self._say(f"step {step.number} has unequal numbers of parameters and gradients")
