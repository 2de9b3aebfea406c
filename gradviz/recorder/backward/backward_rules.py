"""Detection of rules broken in the backward of a custom Function."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from types import CodeType
from typing import TYPE_CHECKING

from msgspec import Struct

from gradviz.analysis.memory.version_error import is_about_versions
from gradviz.catalogue.messages import say
from gradviz.late_import import import_in_thread
from gradviz.model.finding import Severity
from gradviz.model.source import Location
from gradviz.model.step import ErrorStep, PassedGradient
from gradviz.recorder.backward.open_node import OpenNode, ReturnedForm, argument_names
from gradviz.recorder.backward.silent_writes import ChangedSavedTensor
from gradviz.recorder.finding_reporter import FindingReporter, describe_method_location
from gradviz.recorder.forward.captured_tensors import report_captured_tensors
from gradviz.recorder.forward.function_source import (
    definition_line,
    is_needed_elsewhere,
    most_inputs,
    return_line,
    returned_count_line,
    writing_line,
)
from gradviz.recorder.forward.grad_history import CutGradient
from gradviz.recorder.log import RecordLog
from gradviz.recorder.safe_text import printable_text
from gradviz.recorder.sources import is_gradviz
from gradviz.recorder.tensors.tensor_elements import dtype_name
from gradviz.text.gradient_counts import gradient_count, input_count
from gradviz.text.phrases import shape_text

if TYPE_CHECKING:
    from gradviz.recorder.backward.conflict_reporter import ConflictReporter

# The engine raises a plain RuntimeError for all of these; only the text tells them apart.
_COUNT = r"returned an incorrect number of gradients \(expected (\d+), got (\d+)\)"
_SHAPE = r"returned an invalid gradient at index (\d+) - got (\[.*?\]) but expected"
_FREED = "backward through the graph a second time"
_NO_TENSOR = r"expected Variable or None \(got "
_NOT_FOR_TENSOR = r"gradient different than None at position (\d+)"


class _Refusal(Struct, frozen=True):
    """An error from torch about a node, and the finding that explains it."""

    # Not the exception itself, whose traceback keeps tensors of the run alive.
    text: str
    entry: OpenNode
    code: str
    message: str
    line: Location | None


class BackwardRuleChecker:
    """Checks on one executed node at a time, from numbers and texts only.

    Args:
        log: Its file is read back for some findings. Call with its lock held.
        reporter: Records the findings.
    """

    def __init__(self, log: RecordLog, reporter: FindingReporter) -> None:
        self._log = log
        self._reporter = reporter
        self._refused: list[_Refusal] = []

    def received(self, entry: OpenNode) -> None:
        """Report undefined gradients just before the user's ``backward`` is called."""
        call = entry.facts.call
        if call is None:
            return
        marked = call.non_differentiable
        for at, (came, got) in enumerate(zip(entry.incoming, entry.received, strict=False)):
            if came.kind != "none" or at in call.non_tensor_outputs:
                continue
            # Under functorch, the node has outputs that the user's backward never sees.
            if call.gradients and at >= len(call.gradients):
                continue
            key = "none" if got.kind == "none" else "marked" if at in marked else "zeros"
            line = self._line(entry)
            code = "undefined_gradient" if key == "zeros" else f"undefined_gradient_{key}"
            sentence = f"undefined_gradient.{key}"
            self._report(entry, code, "info", line, sentence=sentence, name=got.name)

    def returned(
        self,
        entry: OpenNode,
        changed: Sequence[tuple[int, Location | None]],
        *,
        began_pass: bool,
    ) -> None:
        """Check what the user's ``backward`` returned, and whether it modified its inputs.

        Args:
            entry: The node.
            changed: Positions of the gradients that it has written to, with lines where known.
            began_pass: Whether another pass began meanwhile, which may reach any tensor.
        """
        if entry.facts.call is not None and not began_pass:
            report_captured_tensors(self._reporter, entry.facts.call)
        line = self._return_line(entry)
        for at, written in changed:
            name = entry.received[at].name
            place = written or self._line(entry, partial(writing_line, name=name))
            self._report(entry, "grad_output_modified", "error", place, name=name)
        self._check_count(entry, line)
        call = entry.facts.call
        undefined = [each.kind == "none" for each in entry.incoming]
        # An argument that depends only on an undefined gradient has no gradient either.
        if call is None or all(undefined) or "none" in [got.kind for got in entry.received]:
            return
        for need, item in zip(call.needs, entry.returned, strict=False):
            if need and item.kind == "none":
                self._report(entry, "missing_gradient", "warning", line, name=item.name)

    def _check_count(self, entry: OpenNode, line: Location | None) -> None:
        """Report Nones beyond the inputs of ``forward``, those with a default included."""
        call = entry.facts.call
        if call is None or call.is_open or not call.parameters:
            return
        surplus = entry.returned[len(call.parameters) :]
        is_surplus = {each.kind for each in surplus} == {"none"}
        # A backward in a mixin returns as many values as the Function with most inputs needs.
        if is_surplus and most_inputs(call.backward) <= len(call.parameters):
            arguments = input_count(len(call.parameters), call.parameters)
            count = gradient_count(len(entry.returned))
            words = {"count": count, "arguments": arguments}
            self._report(entry, "surplus_none", "info", line, **words)

    def cut(self, entry: OpenNode, gradients: Iterable[CutGradient]) -> None:
        """Report gradients that have lost a history, so that a second derivative is wrong."""
        function = "" if entry.facts.call is None else entry.facts.call.function
        for each in gradients:
            name = argument_names(entry.facts, each.argument + 1)[each.argument]
            words = {"function": function, "gradient": name, "value": each.name}
            self._log.find(
                f"second_order_cut_{each.kind}",
                say(f"cut.{each.kind}.{each.extent}", **words),
                severity="info" if each.kind == "once" else "warning",
                step=entry.step,
                node=entry.facts.id,
                location=None if each.line is None else self._reporter.line(*each.line),
                argument=each.argument,
            )

    def passed(
        self,
        entry: OpenNode,
        made: Sequence[ReturnedForm],
        passed: Sequence[PassedGradient],
        sparse: Collection[int],
    ) -> None:
        """Report gradients that the engine dropped, reduced or cast.

        Args:
            entry: The node.
            made: The gradients that it passes on.
            passed: What became of them.
            sparse: Slots of those that are not dense.
        """
        for gradient, each in zip(made, passed, strict=True):
            raw = entry.raw
            if raw is None or each.argument is None or each.argument >= len(raw):
                continue
            before = raw[each.argument]
            if before is None:
                continue
            call = entry.facts.call
            if each.change == "dropped":
                if call is None or not is_needed_elsewhere(call.backward, each.argument):
                    line, name = self._return_line(entry), each.item.name
                    self._report(
                        entry, "wasted_gradient", "info", line, name=name, index=each.argument
                    )
            elif gradient is not None and "reduced" in each.change:
                outputs = [form[0] for form in entry.outputs if form is not None]
                needed = any(map(partial(_sums_a_batch, before[0], gradient[0]), outputs))
                after = _shape(gradient[0])
                words = {"name": each.item.name, "before": _shape(before[0]), "after": after}
                self._report(
                    entry,
                    "silent_reduction",
                    "info" if needed else "warning",
                    self._return_line(entry),
                    **words,
                )
            is_dense = call is not None and each.argument in call.dense_arguments
            if each.slot in sparse and is_dense:
                line, name = self._return_line(entry), each.item.name
                self._report(entry, "sparse_gradient", "warning", line, name=name)
            # Under autocast, torch itself has cast to the smaller dtype.
            autocast = call is not None and call.autocast
            if gradient is not None and "cast" in each.change and not autocast:
                names = {"before": dtype_name(before[1]), "after": dtype_name(gradient[1])}
                words = {"name": each.item.name, **names}
                self._report(entry, "silent_cast", "warning", self._return_line(entry), **words)

    def accumulated(self, entry: OpenNode) -> None:
        """Report a leaf parameter that no module has registered."""
        if entry.facts.unregistered_in:
            code, module = entry.facts.module_forward, entry.facts.unregistered_in
            line = self._reporter.line(code, definition_line(code))
            self._report(entry, "unregistered_parameter", "warning", line, module=module)

    def refused(self, entry: OpenNode, text: str) -> None:
        """Note that torch refused to execute a node, or rejected what ``backward`` returned.

        The finding waits until it is known whether this error ends the run.
        """
        if is_about_versions(text):
            self._refused.append(_Refusal(text, entry, "saved_modified", "", None))
        if _FREED in text:
            self._refused.append(_Refusal(text, entry, "freed_graph", "", None))
        count = re.search(_COUNT, text)
        got = len(entry.returned) if count is None else int(count[2])
        line = entry.return_location or self._line(entry, partial(returned_count_line, count=got))
        call = entry.facts.call
        function = "" if call is None else call.function
        place = describe_method_location(function, "backward", line)
        message = _rejection(entry, text, place)
        if message is not None:
            self._refused.append(_Refusal(text, entry, *message, line))

    def rejected_line(self, message: str) -> Location | None:
        """The ``return`` whose values torch rejected with this message; None if it did not."""
        for each in self._refused:
            if printable_text(each.text) == message:
                return each.line
        return None

    def conclude(self, error: ErrorStep | None, changed: Sequence[ChangedSavedTensor]) -> None:
        """Report refusals: the one that ended the run at its last step, others at their own.

        Args:
            error: The last step.
            changed: Saved tensors that were changed unseen.
        """
        conflicts = []
        for each in self._refused:
            ended = error is not None and error.message == printable_text(each.text)
            step = error.number if error is not None and ended else each.entry.step
            node = each.entry.facts.id
            if each.code == "saved_modified":
                conflicts.append((node, step, each.text))
                continue
            if each.code == "freed_graph":
                self._conflict_reporter().explain_freed_graph(node, step)
                continue
            self._reporter.report(
                each.code, each.message, "error", step=step, node=node, location=each.line
            )
        if conflicts or changed:
            self._conflict_reporter().explain_saved_tensors(conflicts, changed)
        self._refused.clear()

    def _conflict_reporter(self) -> ConflictReporter:
        # Few runs need it, and much of the analysis comes with it.
        import_in_thread("gradviz.recorder.backward.conflict_reporter")
        from gradviz.recorder.backward.conflict_reporter import ConflictReporter

        return ConflictReporter(self._log, self._reporter)

    def _return_line(self, entry: OpenNode) -> Location | None:
        return entry.return_location or self._line(entry, return_line)

    def _line(
        self, entry: OpenNode, find: Callable[[CodeType | None], int | None] = definition_line
    ) -> Location | None:
        code = None if entry.facts.call is None else entry.facts.call.backward
        return self._reporter.line(code, find(code))

    def _report(
        self,
        entry: OpenNode,
        code: str,
        severity: Severity,
        line: Location | None,
        sentence: str = "",
        **words: object,
    ) -> None:
        call = entry.facts.call
        backward = None if call is None else call.backward
        # A check that the program runs returns what the user never wrote.
        if backward is not None and is_gradviz(backward.co_filename):
            return
        self._reporter.report_in_method(
            "" if call is None else call.function,
            "backward",
            code,
            severity,
            line,
            step=entry.step,
            node=entry.facts.id,
            sentence=sentence,
            **words,
        )


def _sums_a_batch(
    returned: tuple[int, ...], needed: tuple[int, ...], output: tuple[int, ...]
) -> bool:
    """Whether a gradient is larger than its input only by dimensions that the output has as well.

    That is so after broadcasting, when it has the shape of the output, and with one gradient for
    each row of a batch that the input does not have. The sum over those is the gradient. An input
    with the shape of the output has no such dimension, so a larger gradient has a wrong shape.
    """
    more = len(returned) - len(needed)
    is_batch = more > 0 and returned == (*output[:more], *needed)
    return output != needed and (returned == output or is_batch)


def _rejection(entry: OpenNode, text: str, place: str) -> tuple[str, str] | None:
    """Code and sentence for an error from torch; None if it is about something else."""
    returned, call = entry.returned, entry.facts.call
    if call is None or not returned:
        return None
    count, shape, other = (re.search(each, text) for each in (_COUNT, _SHAPE, _NOT_FOR_TENSOR))
    if count is not None:
        return "wrong_gradient_count", say(
            "finding.wrong_gradient_count",
            where=place,
            count=gradient_count(int(count[2])),
            arguments=input_count(int(count[1]), call.arguments),
        )
    if shape is not None:
        return _shape_rejection(entry, int(shape[1]), text, place)
    if other is not None and 0 < int(other[1]) <= len(returned):
        name = returned[int(other[1]) - 1].name
        key = "finding.invalid_gradient.not_tensor"
        return "invalid_gradient", say(key, where=place, name=name)
    others = [each for each in returned if each.kind == "object"]
    if re.search(_NO_TENSOR, text) and others:
        words = {"name": others[0].name, "text": others[0].text}
        return "invalid_gradient", say("finding.invalid_gradient.object", where=place, **words)
    return None


def _shape_rejection(entry: OpenNode, slot: int, text: str, place: str) -> tuple[str, str] | None:
    call, raw = entry.facts.call, entry.raw
    expected = re.search(r"expected shape compatible with (\[[\d, ]*\])", text)
    if call is None or raw is None or expected is None or slot >= len(call.tensor_arguments):
        return None
    argument = call.tensor_arguments[slot]
    before = raw[argument] if argument < len(raw) else None
    if before is None:
        return None
    sizes = tuple(map(int, re.findall(r"\d+", expected[1])))
    return "invalid_gradient", say(
        "finding.invalid_gradient",
        where=place,
        name=call.arguments[argument],
        before=_shape(before[0]),
        after=_shape(sizes),
    )


def _shape(sizes: tuple[int, ...]) -> str:
    return shape_text(sizes) if sizes else say("finding.one_number")
