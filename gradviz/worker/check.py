"""Check of Jacobians that writes its report into a trace."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from gradviz.checks import jacobian
from gradviz.checks.reference.opinion import Reference
from gradviz.gallery.catalogue import scene
from gradviz.model.inputs import Offer
from gradviz.model.jacobian import JacobianReport
from gradviz.model.trace import Outcome
from gradviz.protocol.messages import Check, Device, Progress
from gradviz.store.errors import TraceError
from gradviz.store.writer import TraceWriter
from gradviz.worker.blame import blame
from gradviz.worker.border import Caught
from gradviz.worker.check_console import CheckConsole
from gradviz.worker.devices import DeviceError, find_device
from gradviz.worker.inputs import InputError
from gradviz.worker.load import LoadError
from gradviz.worker.matrices import Matrices
from gradviz.worker.origin import origin_of
from gradviz.worker.prepare import Prepared, prepare, put_notes
from gradviz.worker.reference import find_reference
from gradviz.worker.signature import Target, arrange

_PROGRESS_EVERY_S = 0.1


class Reporter:
    """Reports progress at most ten times a second."""

    def __init__(self, send: Callable[[Progress], None]) -> None:
        self._send = send
        self._last = 0.0
        self._progress = Progress(activity="check", done=0, total=0)

    def tell(self, done: int, total: int) -> None:
        """Send the progress, unless it was sent very recently."""
        now = time.monotonic()
        if now - self._last >= _PROGRESS_EVERY_S or done == total:
            self._last = now
            self._progress = replace(self._progress, done=done, total=total)
            self._send(self._progress)

    def tell_kept(self) -> None:
        """Report that the trace contains more results."""
        self._progress = replace(self._progress, kept=self._progress.kept + 1)
        self._send(self._progress)


def check(request: Check, send: Callable[[Progress], None]) -> str:
    """Check Jacobians; returns one sentence on what failed, or an empty text.

    A mismatch is not a failure, and neither is an exception of the checked code during an
    evaluation: the report contains both.
    """
    try:
        device = find_device(request.offer.device)
        is_new = not Path(request.trace).exists()
        writer = TraceWriter(
            Path(request.trace), origin_of(request.offer, device.title), append=True
        )
        try:
            problem = _check_into(writer, request, device, send, is_new=is_new)
        finally:
            writer.close()
    except (TraceError, DeviceError) as error:
        return str(error)
    return problem


def _check_into(
    writer: TraceWriter,
    request: Check,
    device: Device,
    send: Callable[[Progress], None],
    *,
    is_new: bool,
) -> str:
    began = time.perf_counter_ns()
    problem = _report_into(writer, request, device, send)
    if is_new:
        writer.put_outcome(
            Outcome(
                kind="failed" if problem else "finished",
                message=problem,
                duration_ns=time.perf_counter_ns() - began,
            )
        )
    return problem


def _report_into(
    writer: TraceWriter, request: Check, device: Device, send: Callable[[Progress], None]
) -> str:
    if request.settings.complaint():
        return request.settings.complaint()
    with CheckConsole(writer, request.console_characters):
        try:
            prepared = prepare(request.offer, device, checked=True)
            reference = find_reference(request.settings.reference, request.offer.subject)
        except (LoadError, InputError) as error:
            return str(error)
        put_notes(writer, "other_dtype", prepared.notes)
        with Caught() as caught:
            writer.put(_report(writer, request, prepared, reference, send))
    return "" if caught.error is None else blame(caught.error, prepared.target.path)


def _report(
    writer: TraceWriter,
    request: Check,
    prepared: Prepared,
    reference: Reference | None,
    send: Callable[[Progress], None],
) -> JacobianReport:
    positional, keywords = arrange(prepared.target, prepared.names, prepared.values)
    call: Callable[..., Any] = prepared.target.thing
    if keywords:
        call = functools.partial(call, **keywords)
        if reference is not None:
            named = functools.partial(reference.call, **keywords)
            reference = replace(reference, call=named)

    matrices, reporter = Matrices(writer), Reporter(send)

    def keep(report: JacobianReport) -> None:
        """Store the results so far, in case this process dies before the end."""
        writer.put(report)
        writer.flush()
        if report.unfinished:
            matrices.kept()
            reporter.tell_kept()

    return jacobian.check(
        call,
        positional,
        sink=matrices,
        names=prepared.names[: len(positional)],
        settings=request.settings,
        progress=reporter.tell,
        partial=keep,
        order=request.order,
        reference=reference,
        subject=_title(request.offer, prepared.target),
        report_id=writer.highest("report") + 1,
    )


def _title(offer: Offer, target: Target) -> str:
    """Title of the offer, or the name of the Function that a scene checks instead."""
    scene_id = offer.subject.scene
    return target.name if scene_id and scene(scene_id).checked else offer.title
