"""Violations that the source of a called Function shows, each reported once."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from types import CodeType

from gradviz.linter.source_findings import SourceFinding, findings_of_tree
from gradviz.model.source import Location
from gradviz.recorder.finding_reporter import FindingReporter
from gradviz.recorder.forward.open_function_call import CallFacts, OpenFunctionCall
from gradviz.recorder.sources import code_of, is_hidden, tree_of


@dataclass(frozen=True, slots=True)
class _ReadFinding:
    """A finding in the source of a called Function, with the call that it is shown at."""

    finding: SourceFinding
    line: Location | None
    step: int
    facts: CallFacts


_OF_SECOND_ORDER = frozenset({"missing_once_differentiable", "saved_intermediate"})
"""Rules that a Function keeps by refusing a second derivative."""


class SourceRuleReporter:
    """Reader of the sources of custom Functions. Call with the log's lock held."""

    def __init__(self, reporter: FindingReporter) -> None:
        self._reporter = reporter
        self._known: set[CodeType] = set()
        self._waiting: list[_ReadFinding] = []

    def begun(self, call: OpenFunctionCall) -> None:
        """Read the source of a Function, unless this is not its first call."""
        forward = code_of(call.text.forward)
        if forward is None or forward in self._known or is_hidden(forward.co_filename):
            return
        self._known.add(forward)
        others = [getattr(call.cls, name, None) for name in ("jvp", "vmap")]
        methods = (call.text.forward, call.text.setup_context, call.text.backward, *others)
        codes = {
            code.co_firstlineno: code
            for each in methods
            if (code := code_of(each)) and code.co_filename == forward.co_filename
        }
        for finding in _findings_in(forward.co_filename):
            # A derived class may have methods of its own, or declare an inherited backward.
            method = codes.get(finding.method_line)
            is_declared = call.text.once_differentiable
            if method is None or (is_declared and finding.code in _OF_SECOND_ORDER):
                continue
            line = self._reporter.line(method, finding.line)
            self._waiting.append(_ReadFinding(finding, line, call.step, call.facts))

    def finished(self) -> None:
        """Report what only the source shows, now that the node is known."""
        self._report(only_in_source=True)

    def conclude(self) -> None:
        """Report what the run could have shown but did not, as where torch raised first."""
        self._report(only_in_source=False)

    def violation(self, code: str) -> tuple[str, Location | None] | None:
        """Sentence and line of the first violation of a rule in the Functions called so far."""
        found = (each for each in self._waiting if each.finding.code == code)
        return next(((each.finding.message, each.line) for each in found), None)

    def _report(self, *, only_in_source: bool) -> None:
        for each in self._waiting:
            finding = each.finding
            if only_in_source and not finding.only_in_source:
                continue
            if self._reporter.has_reported(finding.code, each.line):
                continue
            self._reporter.report(
                finding.code,
                finding.message,
                finding.severity,
                step=each.step,
                node=each.facts.node,
                location=each.line,
            )
        self._waiting = [
            each for each in self._waiting if only_in_source and not each.finding.only_in_source
        ]


@functools.lru_cache(maxsize=64)
def _findings_in(path: str) -> tuple[SourceFinding, ...]:
    """Findings in the Functions of a file."""
    tree = tree_of(path)
    return () if tree is None else findings_of_tree(tree)
