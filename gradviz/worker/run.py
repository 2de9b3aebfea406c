"""One recorded run of a scene or a user's code."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import torch

from gradviz.model.inputs import BackwardStart
from gradviz.model.trace import Outcome
from gradviz.protocol.messages import Device, Run
from gradviz.recorder.options import Options
from gradviz.recorder.recording import Recording
from gradviz.store.errors import TraceError
from gradviz.store.writer import TraceWriter
from gradviz.worker.blame import blame
from gradviz.worker.border import Caught
from gradviz.worker.devices import DeviceError, find_device
from gradviz.worker.inputs import InputError
from gradviz.worker.load import LoadError
from gradviz.worker.origin import origin_of
from gradviz.worker.prepare import Prepared, prepare, put_notes
from gradviz.worker.script import Script, StartError, backward_line
from gradviz.worker.ticker import Ticker

BY_ITSELF = "The code runs backward itself, so no backward pass is started from its output."


@dataclass(slots=True)
class Result:
    """How a recorded call went.

    Attributes:
        problem: One sentence on what failed, or an empty text.
        notes: Sentences on choices that were made.
    """

    problem: str = ""
    notes: tuple[str, ...] = ()


def run(request: Run) -> str:
    """Run and record; returns one sentence on what failed, or an empty text."""
    try:
        device = find_device(request.offer.device)
        writer = TraceWriter(
            Path(request.trace), origin_of(request.offer, device.title, request.level)
        )
        try:
            problem = _run_into(writer, request, device)
        finally:
            writer.close()
        if not Path(request.trace).exists():
            return f"The trace file {request.trace} was removed while it was being written."
        return problem
    except (TraceError, DeviceError) as error:
        return str(error)


def _run_into(writer: TraceWriter, request: Run, device: Device) -> str:
    began = time.perf_counter_ns()
    try:
        prepared = prepare(request.offer, device)
    except (LoadError, InputError) as error:
        result = Result(problem=str(error))
    else:
        put_notes(writer, "other_dtype", prepared.notes)
        result = _record(writer, request, prepared)
        put_notes(writer, "backward_start", result.notes)
    writer.put_outcome(
        Outcome(
            kind="failed" if result.problem else "finished",
            message=result.problem,
            duration_ns=time.perf_counter_ns() - began,
        )
    )
    return result.problem


def _record(writer: TraceWriter, request: Run, prepared: Prepared) -> Result:
    options = Options(
        level=request.level,
        changes=request.changes,
        budget_bytes=request.budget_bytes,
        console_characters=request.console_characters,
        pass_console_on=False,
    )
    result = Result()
    with (
        Caught() as caught,
        Recording(writer, options=options) as recording,
        Ticker(recording.flush),
    ):
        values = recording.change_inputs(prepared.names, prepared.values)
        if isinstance(prepared.target.thing, torch.nn.Module):
            recording.change_parameters(prepared.target.thing)
        for name, value in zip(prepared.names, values, strict=True):
            if isinstance(value, torch.Tensor):
                recording.name(value, name)
        script = Script(prepared.target, prepared.names, values)
        _call_and_differentiate(script, request.offer.start, recording, result)
    if caught.error is not None:
        result.problem = blame(caught.error, prepared.target.path)
    return result


def _call_and_differentiate(
    script: Script, start: BackwardStart, recording: Recording, result: Result
) -> None:
    returned = script.call()
    if start.gradient == "nothing":
        return
    unasked = start == BackwardStart()
    if unasked and recording.used_graph_up:
        result.notes = (BY_ITSELF,)
        return
    try:
        line, note = backward_line(returned, start)
    except StartError as error:
        if unasked and recording.ran_pass:
            result.notes = (BY_ITSELF,)
        else:
            result.problem = str(error)
        return
    result.notes = (note,) if note else ()
    script.start_backward(line)
