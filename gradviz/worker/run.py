"""One recorded run of a scene or a user's code."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import torch

from gradviz.catalogue.messages import say
from gradviz.checks.nested_arguments import tensors_inside
from gradviz.model.inputs import BackwardStart, InputSpec
from gradviz.model.settings.recording_scope import RecordingScope
from gradviz.model.trace import Outcome
from gradviz.protocol.messages import CheckRequest, Device, RunRequest, WorkProgress
from gradviz.recorder.backward.open_passes import PassCount
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.partial_recording import PartialRecording
from gradviz.store.errors import TraceError
from gradviz.store.writer import TraceWriter
from gradviz.worker.devices import find_device
from gradviz.worker.examples import Example
from gradviz.worker.prepared_call import PreparedCall, origin_of, prepare, record_notes
from gradviz.worker.run_script import RunScript, backward_line
from gradviz.worker.standard_functions import ORIGINALS
from gradviz.worker.user_errors import CaughtError, WorkError, describe_error, error_line

_EVERY_S = 0.25


class PeriodicAction:
    """``with PeriodicAction(action):`` calls the action four times a second in a separate thread.

    It is used to commit records: an endless loop ends no step, so nothing else would commit them.
    """

    def __init__(self, action: Callable[[], object]) -> None:
        self._action = action
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._tick, name="gradviz-ticker", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *error: object) -> None:
        self._done.set()
        self._thread.join()

    def _tick(self) -> None:
        while not self._done.wait(_EVERY_S):
            self._action()


@dataclass(slots=True)
class CallResult:
    """How a recorded call went.

    Attributes:
        problem: One sentence on what failed, or an empty text.
        line: Line of the user's file at which it failed; 0 if unknown.
        notes: Sentences on choices that were made.
        given: What the file's example has created for the call.
    """

    problem: str = ""
    line: int = 0
    notes: tuple[str, ...] = ()
    given: tuple[InputSpec, ...] = ()


def run(
    request: RunRequest,
    example: Example | None = None,
    send: Callable[[WorkProgress], None] = lambda _: None,
) -> CallResult:
    """Run and record; return what failed, if anything.

    Args:
        request: What to run, and where the trace goes.
        example: As in `prepare`.
        send: Receives the number of backward passes so far.
    """

    def work(writer: TraceWriter, device: Device) -> CallResult:
        try:
            prepared = prepare(request.offer, device, example=example)
        except WorkError as error:
            return CallResult(problem=str(error), line=error.line)
        record_notes(writer, "other_dtype", prepared.notes)
        record_notes(writer, "module_setup", prepared.setup)
        result = record(writer, request, prepared, send)
        result.given = prepared.given
        record_notes(writer, "backward_start", result.notes)
        return result

    return into_trace(request, work)


def into_trace(
    request: RunRequest | CheckRequest, work: Callable[[TraceWriter, Device], CallResult]
) -> CallResult:
    """Write the trace of a request: what some work writes, and how it ended.

    Args:
        request: The request; a check is added to a trace that exists, which keeps the outcome of
            the run that it contains.
        work: Does the work on a device, and returns what failed.
    """
    is_run = isinstance(request, RunRequest)
    is_new = is_run or not Path(request.trace).exists()
    level = request.level if isinstance(request, RunRequest) else "nodes"
    try:
        device = find_device(request.offer.device)
        origin = origin_of(request.offer, device.title, level)
        with closing(TraceWriter(Path(request.trace), origin, append=not is_run)) as writer:
            began = time.perf_counter_ns()
            result = work(writer, device)
            if is_new:
                writer.put_outcome(
                    Outcome(
                        kind="failed" if result.problem else "finished",
                        message=result.problem,
                        duration_ns=time.perf_counter_ns() - began,
                    )
                )
        return result
    except (TraceError, WorkError) as error:
        return CallResult(problem=str(error))


def record(
    writer: TraceWriter,
    request: RunRequest,
    prepared: PreparedCall,
    send: Callable[[WorkProgress], None] = lambda _: None,
) -> CallResult:
    """Make a call and start backward as requested, and record both.

    An exception of the called code is described in the result. The arguments are as in `run`.

    Raises:
        TraceError: If not all could be recorded.
    """
    options = RecordingOptions(
        level=request.level,
        changes=request.changes,
        budget_bytes=request.budget_bytes,
        console_characters=request.console_characters,
        pass_console_on=False,
        scope=RecordingScope(passes=request.passes),
        around_program=True,
    )
    result = CallResult()
    partial = PartialRecording(writer, options)
    recording = partial.recording

    def tick() -> None:
        recording.flush()
        send(WorkProgress(activity="run", done=partial.passes.outermost, total=0))

    # They end in reverse order: the ticker stops before the recording writes its last records.
    with (
        CaughtError() as caught,
        partial,
        PeriodicAction(tick),
    ):
        values = recording.change_inputs(prepared.names, prepared.values)
        if isinstance(prepared.target.thing, torch.nn.Module):
            recording.change_parameters(prepared.target.thing)
        for name, value in zip(prepared.names, values, strict=True):
            if isinstance(value, torch.Tensor):
                recording.name(value, name)
            else:
                for place, tensor in tensors_inside(name, value):
                    recording.name(tensor, place)
        names, arguments = prepared.arguments(values)
        script = RunScript(prepared.target, names, arguments)
        try:
            _call_and_differentiate(script, request.offer.start, partial.passes, result)
        finally:
            # The code is over, and the recording still has to be completed.
            ORIGINALS.restore()
    partial.raise_problem(caught.error)
    if caught.error is not None:
        path = prepared.target.path
        result.problem = describe_error(caught.error, path)
        result.line = error_line(caught.error, path)
    return result


def _call_and_differentiate(
    script: RunScript, start: BackwardStart, passes: PassCount, result: CallResult
) -> None:
    returned = script.call()
    if start.gradient == "nothing":
        return
    unasked = start == BackwardStart()
    if unasked and passes.has_freed_graph:
        result.notes = (say("start.by_itself"),)
        return
    try:
        line, note = backward_line(returned, start)
    except WorkError as error:
        if unasked and passes.started:
            result.notes = (say("start.by_itself"),)
        else:
            result.problem = str(error)
        return
    result.notes = (note,) if note else ()
    script.start_backward(line)
