"""Detection of rules broken in the forward of a custom Function, from numbers and texts alone.

Violations that the source of a called Function shows, each reported once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Iterable
from types import CodeType
from typing import TYPE_CHECKING

from msgspec import Struct

from gradviz.catalogue.messages import say, say_list
from gradviz.late_import import import_in_thread
from gradviz.model.finding import Severity
from gradviz.model.source import Location
from gradviz.recorder.error_boundary import attempt
from gradviz.recorder.finding_reporter import FindingReporter
from gradviz.recorder.forward.captured_tensors import report_captured_tensors
from gradviz.recorder.forward.ctx_declarations import ArgumentWrite, CtxDeclarations
from gradviz.recorder.forward.function_source import (
    attribute_line,
    definition_line,
    return_line,
    returns_only_inputs,
    saving_line,
    writing_line,
)
from gradviz.recorder.forward.open_function_call import CallFacts
from gradviz.recorder.inside.open_stage import StageOp
from gradviz.recorder.log import RecordLog
from gradviz.recorder.sources import is_call_by_gradviz, is_hidden, tree_of

if TYPE_CHECKING:
    from gradviz.linter.source_findings import SourceFinding


class _ReadFinding(Struct, frozen=True):
    """A finding in the source of a called Function, with the call that it is shown at."""

    finding: SourceFinding
    line: Location | None
    facts: CallFacts


_OF_SECOND_ORDER = frozenset({"missing_once_differentiable", "saved_intermediate"})
"""Rules that a Function keeps by refusing a second derivative."""


class SourceRuleReporter:
    """Reader of the sources of custom Functions. Call with the log's lock held."""

    def __init__(self, log: RecordLog, reporter: FindingReporter) -> None:
        self._log = log
        self._reporter = reporter
        self._known: set[CodeType] = set()
        self._waiting: list[_ReadFinding] = []

    def begun(self, facts: CallFacts, methods: Callable[[], Iterable[CodeType | None]]) -> None:
        """Read the source of a Function, unless this is not its first call.

        Args:
            facts: What is known of the call.
            methods: Reads the codes of the methods of its class.
        """
        forward = facts.forward
        if forward is None or forward in self._known or is_hidden(forward.co_filename):
            return
        codes = {
            code.co_firstlineno: code
            for code in methods()
            if code and code.co_filename == forward.co_filename
        }
        found = attempt(self._log, _findings_in, forward.co_filename)
        if isinstance(found, Exception):
            # Such as a program that has used up its files, so that no rule can be imported.
            self._log.report_error("SourceRuleReporter", found)
            return
        self._known.add(forward)
        for finding in found:
            # A derived class may have methods of its own, or declare an inherited backward.
            method = codes.get(finding.method_line)
            if method is None or (facts.once and finding.code in _OF_SECOND_ORDER):
                continue
            line = self._reporter.line(method, finding.line)
            self._waiting.append(_ReadFinding(finding, line, facts))

    def finished(self) -> None:
        """Report what only the source shows, now that the node is known."""
        self._report(only_in_source=True)

    def conclude(self) -> None:
        """Report what the run could have shown but did not, as where torch raised first."""
        self._report(only_in_source=False)

    def violation(self, code: str) -> tuple[str, Location | None] | None:
        """Sentence and line of the first violation of a rule in the Functions called so far."""
        for each in self._waiting:
            if each.finding.code == code:
                return each.finding.message, each.line
        return None

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
                step=each.facts.step,
                node=each.facts.node,
                location=each.line,
            )
        self._waiting = [
            each for each in self._waiting if only_in_source and not each.finding.only_in_source
        ]


@functools.lru_cache(maxsize=64)
def _findings_in(path: str) -> tuple[SourceFinding, ...]:
    """Findings in the Functions of a file."""
    # With the first custom Function, which many programs do not have.
    import_in_thread("gradviz.linter.source_findings")
    from gradviz.linter.source_findings import findings_of_tree

    tree = tree_of(path)
    return () if tree is None else findings_of_tree(tree)


_BRINGS_BACK = frozenset(
    (
        *("torch.from_numpy", "torch.from_dlpack", "torch.frombuffer"),
        *("torch.tensor", "torch.as_tensor", "torch.asarray", "Tensor.new_tensor"),
    )
)
"""Unseen calls that turn values computed outside of torch back into a tensor."""


class ForwardRuleChecker:
    """Checks on one call at a time. Call with the log's lock held.

    Attributes:
        source: Reads the source, before torch can refuse the call.
    """

    def __init__(self, reporter: FindingReporter, source: SourceRuleReporter) -> None:
        self._reporter = reporter
        self.source = source

    def entered(self, call: CallFacts, nested: Iterable[int]) -> None:
        """Report arguments with tensors inside that require grad, before ``forward`` runs."""
        for argument in nested:
            line, method = call.location, "apply"
            if line is None or is_call_by_gradviz(line.path):
                method = "forward"
                line = self._reporter.line(call.forward, definition_line(call.forward))
            name = call.arguments[argument]
            self._report(call, "nested_tensor", "warning", line, method, name=name)

    def returned(self, call: CallFacts, ops: Iterable[StageOp]) -> None:
        """Report values that left torch."""
        back = [op for op in ops if not op.seen and op.name in _BRINGS_BACK]
        if back and call.node is not None:
            names = say_list(list(dict.fromkeys(op.name for op in back)))
            self._report(call, "numpy_unseen", "info", back[0].location, names=names)

    def declared(self, call: CallFacts, declared: CtxDeclarations, written: Iterable[int]) -> None:
        """Check what the call has put on ``ctx`` or saved, and what ``forward`` returned.

        Args:
            call: The call.
            declared: What it has declared and returned.
            written: Indices of the arguments that ``forward`` has written to.
        """
        if call.node is None or call.nested:
            return
        self._check_outputs(call, declared, {*declared.dirty, *written})
        method = call.setup_context or call.forward
        where = "setup_context" if call.setup_context else "forward"
        for name, kind in declared.holders:
            # Neither a cycle nor another derivative depends on it.
            if kind == "computed" and call.once:
                continue
            line = self._reporter.line(method, attribute_line(method, name))
            # The module that owns a parameter keeps it in memory anyway.
            owned = "parameter" if kind == "parameter" else ""
            severity: Severity = "info" if owned else "warning"
            self._report(call, "tensor_on_ctx", severity, line, where, owned, name=name)
        if declared.lowered:
            line = self._reporter.line(call.forward, definition_line(call.forward))
            code = "autocast_without_custom_fwd"
            self._report(call, code, "warning", line, dtype=declared.lowered)
        # Without a double backward, a saved intermediate value does no harm.
        for each in () if call.once else declared.intermediates:
            line = self._reporter.line(method, saving_line(method))
            name = each.name or say("saved.position", number=each.position + 1)
            argument = "" if each.argument is None else call.arguments[each.argument]
            variant = "view" if argument else ""
            words = {"name": name, "argument": argument}
            self._report(call, "saved_intermediate", "warning", line, where, variant, **words)

    def _check_outputs(
        self, call: CallFacts, declared: CtxDeclarations, changed: Container[int]
    ) -> None:
        if not (declared.unmarked or declared.containers or declared.returned or declared.views):
            return
        line = self._reporter.line(call.forward, return_line(call.forward))
        for position, dtype in declared.unmarked:
            self._report(call, "unmarked_output", "info", line, position=position, dtype=dtype)
        for kind in declared.containers:
            self._report(call, "outputs_in_container", "error", line, kind=kind)
        returned = declared.returned
        if returned and returns_only_inputs(call.forward):
            returned = ()
        for places, variant in ((returned, ""), (declared.views, "view")):
            for argument in places:
                if argument not in changed:
                    name = call.arguments[argument]
                    self._report(call, "returned_input", "info", line, variant=variant, name=name)

    def finished(self, call: CallFacts, writes: Iterable[ArgumentWrite]) -> None:
        """Report unmarked in-place changes, now that the arguments have their final history.

        What the source shows is reported here as well, since now the node is known. Without a node,
        no gradient reaches a captured tensor either.
        """
        self.source.finished()
        if call.node is None and not call.nested:
            report_captured_tensors(self._reporter, call)
        for each in writes:
            name = call.arguments[each.argument]
            line = each.location or self._reporter.line(
                call.forward, writing_line(call.forward, name)
            )
            severity: Severity = (
                "error" if each.requires_grad and call.node is not None else "warning"
            )
            variant = "" if each.history else "plain"
            words = {"name": name, "history": each.history}
            self._report(call, "in_place_unmarked", severity, line, variant=variant, **words)

    def _report(
        self,
        call: CallFacts,
        code: str,
        severity: Severity,
        line: Location | None,
        method: str = "forward",
        variant: str = "",
        **words: object,
    ) -> None:
        self._reporter.report_in_method(
            call.function,
            method,
            code,
            severity,
            line,
            step=call.step,
            node=call.node,
            sentence=f"{code}.{variant}" if variant else code,
            **words,
        )
