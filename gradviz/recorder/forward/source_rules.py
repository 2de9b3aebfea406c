"""Violations that the source of a called Function shows, reported at its first call."""

from __future__ import annotations

import functools
from types import CodeType

from gradviz.linter.source_findings import SourceFinding, findings_of_tree
from gradviz.recorder.finding_reporter import FindingReporter
from gradviz.recorder.forward.open_function_call import OpenFunctionCall
from gradviz.recorder.sources import code_of, is_hidden, tree_of


class SourceRuleReporter:
    """Reader of the sources of custom Functions. Call with the log's lock held."""

    def __init__(self, reporter: FindingReporter) -> None:
        self._reporter = reporter
        self._known: set[CodeType] = set()

    def called(self, call: OpenFunctionCall) -> None:
        """Report what the source of a Function shows, unless this is not its first call."""
        forward = code_of(call.text.forward)
        if forward is None or forward in self._known or is_hidden(forward.co_filename):
            return
        self._known.add(forward)
        methods = (call.text.forward, call.text.setup_context, call.text.backward)
        codes = {code.co_firstlineno: code for each in methods if (code := code_of(each))}
        for finding in _findings_in(forward.co_filename):
            # A derived class may have methods of its own, or declare an inherited backward.
            method = codes.get(finding.method_line)
            is_declared = call.text.once_differentiable
            if method is None or (is_declared and finding.code == "missing_once_differentiable"):
                continue
            self._reporter.report(
                finding.code,
                finding.message,
                finding.severity,
                step=call.step,
                node=call.facts.node,
                location=self._reporter.line(method, finding.line),
            )


@functools.lru_cache(maxsize=64)
def _findings_in(path: str) -> tuple[SourceFinding, ...]:
    """Findings in a file, except those that the run itself shows better."""
    tree = tree_of(path)
    found = () if tree is None else findings_of_tree(tree)
    return tuple(each for each in found if each.only_in_source)
