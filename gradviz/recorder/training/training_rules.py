"""Findings on training, from the trace of the run when it has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradviz.catalogue.messages import say
from gradviz.late_import import import_in_thread
from gradviz.recorder.error_boundary import attempt, safe_exception_text, within_error_boundary
from gradviz.recorder.errors.history_ends import HistoryEnds
from gradviz.recorder.errors.history_sentences import end_text, remedy_text
from gradviz.recorder.recording_context import Recorder, RecordingContext

if TYPE_CHECKING:
    from gradviz.linter.training.training_run import LearningProblem

_MOST_STEPS = 200_000
"""The trace of a longer run takes too long to read."""


class TrainingRuleChecker(Recorder):
    """Applies the rules on training, which need no torch, to what has been recorded."""

    def __init__(self, context: RecordingContext, ends: HistoryEnds) -> None:
        super().__init__(context)
        self._reporter = context.reporter
        self._ends = ends

    @within_error_boundary
    def conclude(self) -> None:
        """Report what the rules find. Call at the end of the run, with the log's lock held."""
        if self._log.highest("step") > _MOST_STEPS:
            return
        found = attempt(self._log, self._problems)
        if isinstance(found, Exception):
            # Such as a program that has used up its files or its stack, or lets nothing be opened.
            text = say("finding.training_unread", reason=safe_exception_text(found))
            self._log.find("training_unread", text)
            return
        for each in found:
            self._reporter.report(
                each.code,
                each.message,
                each.severity,
                step=each.step,
                node=each.node,
                location=each.location,
            )

    def _problems(self) -> list[LearningProblem]:
        # The start of a recording need not wait for them.
        import_in_thread("gradviz.recorder.training.trace_problems")
        from gradviz.linter.training.training_run import CutOff, LearningProblem, MissedGradient
        from gradviz.recorder.training.trace_problems import TrainingFacts, find_training_problems

        missed = [MissedGradient(*each, line) for line, each in self._ends.missed.items()]
        cuts = [
            CutOff(
                kind=end.kind,
                call=end_text(end),
                remedy=remedy_text(end),
                name=end.name,
                location=end.location,
                nodes=frozenset(ended.nodes),
                leaves=frozenset(ended.leaves),
                users=None if end.leads_out else frozenset(ended.users),
            )
            for end, ended in self._ends.ended.items()
        ]
        facts = TrainingFacts(cuts, missed)
        return self._log.compute(find_training_problems, facts, list[LearningProblem])
