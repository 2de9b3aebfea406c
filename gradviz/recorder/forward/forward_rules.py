"""Detection of rules broken in the forward of a custom Function.

Detection of rules broken by what the forward of a custom Function returns.

Violations that the source of a called Function shows, each reported once.
"""

from __future__ import annotations

import functools
from types import CodeType
from typing import Any

import torch
from msgspec import Struct

from gradviz.catalogue.messages import say, say_list
from gradviz.linter.source_findings import SourceFinding, findings_of_tree
from gradviz.model.finding import Severity
from gradviz.model.source import Location
from gradviz.recorder.finding_reporter import FindingReporter, describe_method_location
from gradviz.recorder.forward.captured_tensors import report_captured_tensors
from gradviz.recorder.forward.ctx_declarations import share_storage
from gradviz.recorder.forward.function_source import (
    attribute_line,
    definition_line,
    return_line,
    returns_only_inputs,
    saving_line,
    writing_line,
)
from gradviz.recorder.forward.lost_history import is_number
from gradviz.recorder.forward.nested_tensors import nested_tensors
from gradviz.recorder.forward.open_function_call import CallFacts, OpenFunctionCall
from gradviz.recorder.inside.open_stage import write_location
from gradviz.recorder.safe_text import class_name, printable_text
from gradviz.recorder.sources import code_of, is_call_by_gradviz, is_hidden, tree_of
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.tensor_elements import dtype_name
from gradviz.recorder.tensors.tensor_recorder import TensorRecorder
from gradviz.recorder.tensors.version_watch import TensorVersionWatch


class OutputRuleChecker:
    """Checks on one call at a time.

    Call with the log's lock held, inside `disabled_torch_modes`.
    """

    def __init__(self, reporter: FindingReporter) -> None:
        self._reporter = reporter

    def declared(self, call: OpenFunctionCall, outputs: tuple[Any, ...]) -> None:
        """Check the values that ``forward`` has returned, with what was declared on ``ctx``."""
        for position, output in enumerate(outputs):
            if isinstance(output, torch.Tensor):
                self._check_tensor(call, position, output)
            elif type(output) in (list, dict, set) and _has_number(output):
                kind = class_name(type(output))
                self._report(call, "outputs_in_container", "error", kind=kind)

    def _check_tensor(self, call: OpenFunctionCall, position: int, output: torch.Tensor) -> None:
        declared = call.declared
        if not is_number(output) and position not in declared.non_differentiable:
            self._report(
                call,
                "unmarked_output",
                "info",
                position=position,
                dtype=dtype_name(output.dtype),
            )
        changed = {*declared.dirty, *[argument for argument, _ in call.changed]}
        for argument, value in enumerate(call.values):
            if (
                output is value
                and not returns_only_inputs(code_of(call.text.forward))
                and tensor_compat.requires_grad_of(value)
                and argument not in changed
            ):
                name = call.facts.arguments[argument]
                self._report(call, "returned_input", "info", name=name)
            elif argument not in changed and _is_other_view(output, value):
                name = call.facts.arguments[argument]
                self._report(call, "returned_input", "info", variant="view", name=name)

    def _report(
        self,
        call: OpenFunctionCall,
        code: str,
        severity: Severity,
        variant: str = "",
        **words: object,
    ) -> None:
        method = code_of(call.text.forward)
        line = self._reporter.line(method, return_line(method))
        where = describe_method_location(call.facts.function, "forward", line)
        key = ".".join(filter(None, ("finding", code, variant)))
        message = say(key, where=where, function=call.facts.function, **words)
        self._reporter.report(
            code, message, severity, step=call.step, node=call.facts.node, location=line
        )


def _is_other_view(output: torch.Tensor, value: Any) -> bool:
    """Whether an output is a view of an input, and not meant to be one as in ``x.view_as(x)``."""
    return (
        isinstance(value, torch.Tensor)
        and tensor_compat.requires_grad_of(value)
        and output is not value
        and tensor_compat.is_view(output)
        and output.numel() > 0
        and share_storage(output, value)
        and (output.shape, output.stride()) != (value.shape, value.stride())
    )


def _has_number(value: Any) -> bool:
    """Whether a container holds a tensor that could have a gradient."""
    members = value.values() if isinstance(value, dict) else value
    return any(
        isinstance(each, torch.Tensor) and is_number(tensor_compat.unwrap(each)) for each in members
    )


class _ReadFinding(Struct, frozen=True):
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


_BRINGS_BACK = frozenset(
    (
        *("torch.from_numpy", "torch.from_dlpack", "torch.frombuffer"),
        *("torch.tensor", "torch.as_tensor", "torch.asarray", "Tensor.new_tensor"),
    )
)
"""Unseen calls that turn values computed outside of torch back into a tensor."""


class ForwardRuleChecker:
    """Checks on one call at a time.

    Call with the log's lock held, inside `disabled_torch_modes`.
    """

    def __init__(
        self, reporter: FindingReporter, tensors: TensorRecorder, source: SourceRuleReporter
    ) -> None:
        self._reporter = reporter
        self._tensors = tensors
        self._source = source
        self._outputs = OutputRuleChecker(reporter)

    def begun(self, call: OpenFunctionCall) -> None:
        """Read the source before torch can refuse the call."""
        self._source.begun(call)

    def entered(self, call: OpenFunctionCall) -> None:
        """Watch the recorded arguments before ``forward`` runs, and report nested tensors."""
        call.watch = TensorVersionWatch(self._tensors, call.values)
        if call.differentiable:
            self._check_nested_outputs(call)

    def returned(self, call: OpenFunctionCall) -> None:
        """Find arguments that ``forward`` wrote to, and report values that left torch."""
        if call.watch is not None:
            call.changed = tuple(
                [
                    (position, write_location(call.part, call.values[position]))
                    for position in call.watch.changed(call.values)
                ]
            )
        self._check_unseen_calls(call)

    def declared(self, call: OpenFunctionCall, ctx: Any, outputs: tuple[Any, ...]) -> None:
        """Check what the call has put on ``ctx`` or saved, and what ``forward`` returned."""
        if call.facts.node is None or call.nested:
            return
        self._outputs.declared(call, outputs)
        self._check_ctx_attributes(call, ctx)
        # The decorator custom_fwd leaves this on the context, by whatever name it was imported.
        if call.facts.autocast and "_fwd_used_autocast" not in vars(ctx):
            self._check_autocast(call, outputs)
        # Without a double backward, a saved intermediate value does no harm.
        if not call.text.once_differentiable:
            self._check_saved_tensors(call)

    def finished(self, call: OpenFunctionCall) -> None:
        """Report unmarked in-place changes, now that the arguments have their final history.

        What the source shows is reported here as well, since now the node is known. Without a node,
        no gradient reaches a captured tensor either.
        """
        self._source.finished()
        if call.facts.node is None and not call.nested:
            report_captured_tensors(self._reporter, call.facts)
        for position, line in call.changed:
            if position not in call.declared.dirty:
                self._check_unmarked_writes(call, position, line)

    def _check_unmarked_writes(
        self, call: OpenFunctionCall, position: int, line: Location | None
    ) -> None:
        value = call.values[position]
        method = code_of(call.text.forward)
        name = call.facts.arguments[position]
        line = line or self._reporter.line(method, writing_line(method, name))
        # Reading the ``grad_fn`` of a modified view makes torch regenerate it.
        known = (
            tensor_compat.requires_grad_of(value)
            and not tensor_compat.is_view(value)
            and tensor_compat.grad_fn_of(value) is not None
        )
        words = {
            "where": describe_method_location(call.facts.function, "forward", line),
            "name": name,
        }
        message = say("finding.in_place_unmarked.plain", **words)
        if known:
            history, function = (
                printable_text(tensor_compat.grad_fn_of(value).name()),
                call.facts.function,
            )
            message = say("finding.in_place_unmarked", history=history, function=function, **words)
        severity: Severity = (
            "error"
            if tensor_compat.requires_grad_of(value) and call.facts.node is not None
            else "warning"
        )
        self._report(call, "in_place_unmarked", message, severity, line)

    def _check_nested_outputs(self, call: OpenFunctionCall) -> None:
        for name, value in zip(call.facts.arguments, call.values, strict=True):
            if isinstance(value, torch.Tensor):
                continue
            if any(tensor_compat.requires_grad_of(each) for each in nested_tensors(value)):
                line, method = call.location, "apply"
                if line is None or is_call_by_gradviz(line.path):
                    code, method = code_of(call.text.forward), "forward"
                    line = self._reporter.line(code, definition_line(code))
                function = call.facts.function
                message = say(
                    "finding.nested_tensor",
                    where=describe_method_location(function, method, line),
                    name=name,
                    function=function,
                )
                self._report(call, "nested_tensor", message, "warning", line)

    def _check_unseen_calls(self, call: OpenFunctionCall) -> None:
        ops = [] if call.part is None else call.part.ops
        back = [op for op in ops if not op.seen and op.name in _BRINGS_BACK]
        if not back or call.facts.node is None:
            return
        line = back[0].location
        message = say(
            "finding.numpy_unseen",
            where=describe_method_location(call.facts.function, "forward", line),
            names=say_list(list(dict.fromkeys(op.name for op in back))),
        )
        self._report(call, "numpy_unseen", message, "info", line)

    def _check_ctx_attributes(self, call: OpenFunctionCall, ctx: Any) -> None:
        method = code_of(call.text.setup_context or call.text.forward)
        name_of_method = "setup_context" if call.text.setup_context else "forward"
        for name, value in vars(ctx).items():
            tensors = [] if name.startswith("__") else list(nested_tensors(value))
            if not tensors:
                continue
            # The module that owns a parameter keeps it in memory anyway.
            owned = all(isinstance(each, torch.nn.Parameter) for each in tensors)
            line = self._reporter.line(method, attribute_line(method, name))
            place = describe_method_location(call.facts.function, name_of_method, line)
            key = "finding.tensor_on_ctx.parameter" if owned else "finding.tensor_on_ctx"
            message = say(key, where=place, name=printable_text(name))
            self._report(call, "tensor_on_ctx", message, "info" if owned else "warning", line)

    def _check_autocast(self, call: OpenFunctionCall, outputs: tuple[Any, ...]) -> None:
        """Report a result in a dtype that only autocast can have brought in."""
        given = {each.dtype for value in call.values for each in nested_tensors(value)}
        made = [*outputs, *[value for value, _ in call.declared.saved]]
        smaller = [
            each.dtype
            for each in made
            if isinstance(each, torch.Tensor)
            and each.dtype in (torch.float16, torch.bfloat16)
            and each.dtype not in given
        ]
        if not smaller:
            return
        method, function = code_of(call.text.forward), call.facts.function
        line = self._reporter.line(method, definition_line(method))
        message = say(
            "finding.autocast_without_custom_fwd",
            where=describe_method_location(function, "forward", line),
            function=function,
            dtype=dtype_name(smaller[0]),
        )
        self._report(call, "autocast_without_custom_fwd", message, "warning", line)

    def _check_saved_tensors(self, call: OpenFunctionCall) -> None:
        saved = call.declared.saved
        names = call.text.saved_names(len(saved))
        for position, (value, (role, index)) in enumerate(saved):
            if role not in ("intermediate", "view_of_input") or not _has_derivative(value):
                continue
            text = names[position] if names else ""
            if call.histories is not None and call.histories.is_constant(value, text):
                continue
            argument = None
            if role == "view_of_input" and index is not None:
                if not tensor_compat.requires_grad_of(call.values[index]):
                    continue
                argument = call.facts.arguments[index]
            self._report_saved(call, text or say("saved.position", number=position + 1), argument)

    def _report_saved(self, call: OpenFunctionCall, name: str, argument: str | None) -> None:
        """Report a saved intermediate value, or a saved view of an argument."""
        method = code_of(call.text.setup_context or call.text.forward)
        line = self._reporter.line(method, saving_line(method))
        name_of_method = "setup_context" if call.text.setup_context else "forward"
        where = describe_method_location(call.facts.function, name_of_method, line)
        message = say("finding.saved_intermediate", where=where, name=name)
        if argument is not None:
            message = say(
                "finding.saved_intermediate.view", where=where, name=name, argument=argument
            )
        self._report(call, "saved_intermediate", message, "warning", line)

    def _report(
        self,
        call: OpenFunctionCall,
        code: str,
        message: str,
        severity: Severity,
        line: Location | None,
    ) -> None:
        self._reporter.report(
            code, message, severity, step=call.step, node=call.facts.node, location=line
        )


def _has_derivative(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())
