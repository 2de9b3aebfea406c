"""Check of Jacobians that writes its report into a trace.

Storage of a check's matrices in a trace, including those still being computed.
"""

from __future__ import annotations

import functools
import importlib
import os
import tempfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from msgspec import structs
from msgspec.structs import replace
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.names import callable_of, function_class
from gradviz.checks.program.program_gradients import compare_with_differences
from gradviz.checks.program.program_run import Program
from gradviz.checks.reference.reference_jacobians import Reference
from gradviz.checks.rule_violations import rule_violations
from gradviz.checks.run import jacobian_check
from gradviz.checks.run.first_prints import FirstPrints
from gradviz.gallery.registry import scene
from gradviz.model.inputs import Offer, RunSubject
from gradviz.model.jacobian_report import JacobianReport
from gradviz.model.tensor import TensorValue, computed_record
from gradviz.protocol.messages import CheckRequest, Device, RunRequest, WorkProgress
from gradviz.recorder.patching.signals import calls_user_code
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter
from gradviz.worker.check_console import CheckConsole
from gradviz.worker.examples import Example
from gradviz.worker.inputs import seed_all
from gradviz.worker.load import load_file
from gradviz.worker.prepared_call import PreparedCall, origin_of, prepare, record_notes
from gradviz.worker.run import CallResult, into_trace, record
from gradviz.worker.signature import CallTarget, arrange_arguments
from gradviz.worker.standard_functions import ORIGINALS
from gradviz.worker.user_errors import CaughtError, WorkError, describe_error

FIRST_AFTER_S = 0.7
"""Delay before the first partial results; a shorter check stores no unfinished ones."""

_EVERY_S = 0.4
_SHARE = 20
"""Storing partial results may take one part in this many of the time."""


class TraceMatrixSink:
    """A `PartialMatrixSink` that commits each matrix in its own transaction."""

    def __init__(self, writer: TraceWriter) -> None:
        self._writer = writer
        self._last = writer.highest("tensor")
        self._free: deque[int] = deque()
        self._next = time.monotonic() + FIRST_AFTER_S
        self._begun = 0.0

    def store(self, value: TensorValue) -> int:
        """Store a matrix; returns its number in the trace."""
        return self._put(value, self._number())

    def is_due(self) -> bool:
        """Whether it is time to store partial results."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._begun = now
        return True

    def keep(self, value: TensorValue, number: int | None) -> int:
        """Store a partial matrix in place of its previous state; returns its number."""
        return self._put(value, self._number() if number is None else number)

    def release(self, number: int) -> None:
        """Make a number available for the next matrix that is stored."""
        self._free.append(number)

    def kept(self) -> None:
        """Note that all partial results are stored, and set the time for the next ones."""
        now = time.monotonic()
        self._next = now + max(_EVERY_S, _SHARE * (now - self._begun))

    def _number(self) -> int:
        if self._free:
            return self._free.popleft()
        self._last += 1
        return self._last

    def _put(self, value: TensorValue, number: int) -> int:
        record = computed_record(number, value)
        self._writer.put_tensor(record, value.data)
        self._writer.flush()
        return number


_OF_TORCH = "torch."


def find_reference(name: str, subject: RunSubject) -> Reference | None:
    """Find the reference with a name; None for an empty name.

    Args:
        name: ``FILE.py:NAME``, ``NAME`` in the checked file, or the full name of a torch function,
            like ``torch.nn.functional.linear``; empty for none.
        subject: What is checked.

    Raises:
        WorkError: If it does not exist or cannot be called.
    """
    if not name:
        return None
    of_torch = name.startswith(_OF_TORCH) and ":" not in name
    found = _of_torch(name) if of_torch else _named(name, subject)
    if not callable(found):
        raise WorkError(say("target.no_reference", name=f"{name!r:.80}"))
    return Reference(title=name.rpartition(":")[2], call=callable_of(found))


@calls_user_code
def find_grad_outputs(name: str, subject: RunSubject, device: str) -> tuple[Tensor, ...] | None:
    """Find the incoming gradients with a name; None for an empty name.

    Args:
        name: As for `find_reference`, of a tensor, a tuple or list of tensors, or a function
            without parameters that returns them.
        subject: What is checked.
        device: Torch's name of the device that they are needed on.

    Raises:
        WorkError: If there are no tensors of that name, or the function raises.
    """
    if not name:
        return None
    found = _named(name, subject)
    if callable(found) and not isinstance(found, Tensor):
        with CaughtError() as caught:
            found = found()
        if caught.error is not None:
            raise WorkError(describe_error(caught.error, subject.path))
    tensors = (found,) if isinstance(found, Tensor) else found
    if not isinstance(tensors, tuple | list) or not all(
        isinstance(each, Tensor) for each in tensors
    ):
        raise WorkError(say("target.no_grad_outputs", name=f"{name!r:.80}"))
    return tuple(tensors)


def _named(name: str, subject: RunSubject) -> Any:
    """What has a name in a file, or in the checked one if the name has no file; None if nothing."""
    path, _, inner = name.rpartition(":")
    path = os.path.expanduser(path) or subject.path
    return getattr(load_file(path), inner, None) if path else None


def _of_torch(name: str) -> Any:
    found: Any = importlib.import_module("torch")
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    return found


_PROGRESS_EVERY_S = 0.1


class ProgressReporter:
    """Reports progress at most ten times a second, and each evaluation to the console.

    Args:
        send: Sends the progress.
        prints: Is told before each evaluation.
    """

    def __init__(self, send: Callable[[WorkProgress], None], prints: FirstPrints) -> None:
        self._send = send
        self._prints = prints
        self._last = 0.0
        self._progress = WorkProgress(activity="check", done=0, total=0)

    def tell(self, done: int, total: int) -> None:
        """Send the progress, unless it was sent very recently."""
        self._prints.call += 1
        now = time.monotonic()
        if now - self._last >= _PROGRESS_EVERY_S or done == total:
            self._last = now
            self._progress = structs.replace(self._progress, done=done, total=total)
            self._send(self._progress)

    def report_growth(self) -> None:
        """Report that the trace contains more results."""
        self._progress = structs.replace(self._progress, kept=self._progress.kept + 1)
        self._send(self._progress)


def check(
    request: CheckRequest,
    send: Callable[[WorkProgress], None],
    example: Example | None = None,
    console: CheckConsole | None = None,
) -> str:
    """Check Jacobians; returns one sentence on what failed, or an empty text.

    A mismatch is not a failure, and neither is an exception of the checked code during an
    evaluation: the report contains both.

    Args:
        request: What is asked.
        send: Sends the progress.
        example: As for `prepare`.
        console: What the file printed while it was loaded.
    """
    is_new = not Path(request.trace).exists()

    def work(writer: TraceWriter, device: Device) -> CallResult:
        prints = console or CheckConsole(request.console_characters)
        checking = _Check(request, writer, device, send, prints)
        return CallResult(problem=checking.run(example, records_call=is_new))

    return into_trace(request, work).problem


def check_run(request: RunRequest, send: Callable[[WorkProgress], None]) -> None:
    """Check what was run, with the same changes, if that is asked; a problem has no report."""
    if request.check is not None:
        asked = CheckRequest(
            offer=request.offer,
            trace=request.trace,
            settings=request.check,
            changes=request.changes,
        )
        check(asked, send)


class _Check:
    """One check that writes its report into a trace."""

    def __init__(
        self,
        request: CheckRequest,
        writer: TraceWriter,
        device: Device,
        send: Callable[[WorkProgress], None],
        console: CheckConsole,
    ) -> None:
        self._request, self._offer, self._settings = request, request.offer, request.settings
        self._writer = writer
        self._device = device
        self._console = console
        self._reporter = ProgressReporter(send, console.prints)

    def run(self, example: Example | None, *, records_call: bool) -> str:
        """Check and report; returns what failed."""
        if problem := self._settings.problem():
            return say(problem.key, name=problem.name, value=problem.value)
        self._console.store_in(self._writer)
        with self._console:
            subject = self._offer.subject
            try:
                prepared = prepare(self._offer, self._device, checked=True, example=example)
                reference = find_reference(self._settings.reference, subject)
                gradients = self._settings.grad_outputs
                given = find_grad_outputs(gradients, subject, self._device.name)
            except WorkError as error:
                return str(error)
            changed = prepared.changed(self._request.changes)
            if changed is None:
                return ""
            prepared = changed
            record_notes(self._writer, "other_dtype", prepared.notes)
            record_notes(self._writer, "module_setup", prepared.setup)
            with CaughtError() as caught:
                report = self._report(prepared, reference, given)
                self._store(report)
                if not self._request.changes:
                    self._writer.put(self._with_passes(report, prepared))
            # A recording of the same code has reported them already.
            if records_call:
                # The code may have hidden torch's modules.
                ORIGINALS.restore()
                self._writer.flush()
                self._record_violations(prepared)
        if caught.error is None:
            return ""
        return describe_error(caught.error, prepared.target.path)

    def _store(self, report: JacobianReport) -> None:
        """Store the results so far, which the window shows, even if this process dies."""
        self._writer.put(report)
        self._writer.flush()
        self._writer.wait()

    def _record_violations(self, prepared: PreparedCall) -> None:
        """Record the call in a trace of its own, and store the broken rules that it shows."""
        offer = self._offer
        with tempfile.TemporaryDirectory(prefix="gradviz-") as folder:
            aside = Path(folder) / "run.gradviz"
            recording = RunRequest(offer=offer, trace=str(aside), level="ops", budget_bytes=0)
            with closing(
                TraceWriter(aside, origin_of(offer, offer.device, recording.level))
            ) as recorded:
                seed_all(offer.seed)
                record(recorded, recording, prepared)
            with open_trace(aside) as reader:
                target, first = prepared.target, self._writer.highest("finding") + 1
                found = rule_violations(target.thing, target.path, reader.trace(), first_id=first)
        for each in found:
            self._writer.put(each)

    def _report(
        self,
        prepared: PreparedCall,
        reference: Reference | None,
        grad_outputs: Sequence[Tensor] | None,
    ) -> JacobianReport:
        names, positional, keywords = _arranged(prepared)
        call: Callable[..., Any] = prepared.target.thing
        if keywords:
            # The check passes inputs by position only; keyword arguments stay as they are.
            call = functools.partial(call, **keywords)
            if reference is not None:
                named = functools.partial(reference.call, **keywords)
                reference = replace(reference, call=named)
        matrices = TraceMatrixSink(self._writer)

        def keep(report: JacobianReport) -> None:
            self._store(report)
            if report.unfinished:
                matrices.kept()
                self._reporter.report_growth()

        return jacobian_check.check(
            call,
            positional,
            sink=matrices,
            names=names,
            settings=self._settings,
            progress=self._reporter.tell,
            partial=keep,
            order=self._request.order,
            reference=reference,
            grad_outputs=grad_outputs,
            title=_title(self._offer, prepared.target),
            report_id=self._writer.highest("report") + 1,
            curves=True,
        )

    def _with_passes(self, report: JacobianReport, prepared: PreparedCall) -> JacobianReport:
        """Add what the program's own backward passes gave, compared with finite differences.

        A Function runs none. A scene that is a program is checked by a Function in it, so the
        program is loaded here.
        """
        offer = self._offer
        if offer.subject.scene and scene(offer.subject.scene).checked:
            prepared = prepare(offer, self._device)
        if function_class(prepared.target.thing) is not None:
            return report
        names, positional, keywords = _arranged(prepared)
        found = compare_with_differences(
            Program(
                thing=prepared.target.thing,
                positional=tuple(positional),
                keywords=keywords,
                names=names,
                seed=functools.partial(seed_all, offer.seed),
            ),
            self._settings,
            trusted=all(each.code != "straight_through" for each in report.diagnoses),
            progress=self._reporter.tell,
        )
        known = report.diagnoses
        # A wrong gradient of the program is a consequence of what was found in its Function.
        if all(each.code == "none" for each in known):
            known = found.diagnoses or known
        return structs.replace(
            report,
            passes=found.passes,
            diagnoses=known,
            problems=(*report.problems, *found.problems),
        )


def _arranged(prepared: PreparedCall) -> tuple[tuple[str, ...], Sequence[Any], dict[str, Any]]:
    """Names and values of the arguments that are passed by position, and the others by name."""
    names, values = prepared.arguments(prepared.values)
    positional, keywords = arrange_arguments(prepared.target, names, values)
    return names[: len(positional)], positional, keywords


def _title(offer: Offer, target: CallTarget) -> str:
    """Title of the offer, or the name of the Function that a scene checks instead."""
    scene_id = offer.subject.scene
    return target.name if scene_id and scene(scene_id).checked else offer.title
