"""Main function of a child process: warm up, wait for one request, serve it, exit.

The child's end of the protocol: requests in, replies and heartbeats out.
"""

from __future__ import annotations

import contextlib
import gc
import os
import platform
import queue
import sys
import threading
import traceback

# By name, because user code may replace the functions in the module.
from os import getpid, write
from types import TracebackType
from typing import TYPE_CHECKING, NoReturn

from msgspec import structs

from gradviz.analysis.compare.shared_inputs import with_input_dtype, with_inputs_of
from gradviz.catalogue.language import load_language_of
from gradviz.catalogue.messages import say
from gradviz.catalogue.optional_packages import missing_packages
from gradviz.protocol.exit_codes import BUG, PIPE_LOST
from gradviz.protocol.frames import FrameReader
from gradviz.protocol.messages import (
    CheckRequest,
    ChildReply,
    ChildRequest,
    Described,
    DescribeRequest,
    Finished,
    Heartbeat,
    Ready,
    RunRequest,
    WorkKind,
    pack_message,
    read_request,
)
from gradviz.worker import guard, repeated_runs, streams
from gradviz.worker.guard import limit_memory
from gradviz.worker.repeated_runs import SendReply
from gradviz.worker.standard_functions import ORIGINALS

if TYPE_CHECKING:
    from gradviz.worker.check_console import CheckConsole
    from gradviz.worker.examples import Example


HEARTBEAT_S = 0.25
_PIECE_BYTES = 1 << 16


class Channel:
    """Sends replies and waits for the one request.

    The process exits at once when the host closes its end.
    """

    def __init__(self, requests: int, replies: int) -> None:
        self._requests_pipe, self._replies_pipe = requests, replies
        # A fork copies this object and its pipes; frames of two processes would get mixed up.
        self._own_pid = os.getpid()
        # Several threads send, and a pipe does not keep a long frame in one piece.
        self._lock = threading.Lock()
        self._requests: queue.SimpleQueue[ChildRequest] = queue.SimpleQueue()
        threading.Thread(target=self._read, name="gradviz-requests", daemon=True).start()

    def send(self, reply: ChildReply) -> None:
        """Send a reply; does nothing in a process that user code has forked."""
        self._send(pack_message(reply))

    def _send(self, data: bytes) -> None:
        if getpid() != self._own_pid:
            return
        view = memoryview(data)
        with self._lock:
            try:
                while view:
                    # A pipe may accept only a part at a time.
                    view = view[write(self._replies_pipe, view) :]
            except OSError:  # the host is gone, or user code has closed the pipe
                os._exit(PIPE_LOST)

    def receive(self) -> ChildRequest:
        """Wait for the request."""
        return self._requests.get()

    def start_heartbeat(self) -> None:
        """Start to report four times a second that Python is still running."""
        threading.Thread(target=self._beat, name="gradviz-heartbeat", daemon=True).start()

    def _beat(self) -> None:
        pause, beat = threading.Event(), pack_message(Heartbeat())
        while not pause.wait(HEARTBEAT_S):
            self._send(beat)

    def _read(self) -> None:
        reader = FrameReader()
        while piece := os.read(self._requests_pipe, _PIECE_BYTES):
            for data, _ in reader.feed(piece):
                self._requests.put(read_request(data))
        # The host is gone. `sys.exit` would end only this thread.
        os._exit(0)


def main() -> NoReturn:
    """Serve one request of the host; never returns."""
    load_language_of(os.environ)
    requests, replies = streams.take_over()
    # Before any thread exists: a fork copies only the thread that calls it.
    guard.fork_worker(requests)
    guard.die_with_parent()
    guard.lower_priority()
    streams.report_crashes()
    channel = Channel(requests, replies)
    ready = _warm_up()
    channel.send(ready)
    request = channel.receive()
    send: SendReply = channel.send
    # Not earlier: the host measures silence from the request on.
    channel.start_heartbeat()
    if isinstance(request, RunRequest) and request.stays and repeated_runs.can_repeat(ready):
        request, send = repeated_runs.continue_in_forks(request, channel.receive, send)
    ending = _Ending(send, _WORK[type(request)])
    try:
        problem, line = (ready.problem, 0) if ready.problem else _serve(request, send, ready)
    finally:
        ORIGINALS.restore()
        # Only now, because user code may call the hook.
        sys.excepthook = ending.exit_after_error
    ending.exit(problem, line)


class _Ending:
    """Ends the process with a last message to the host."""

    def __init__(self, send: SendReply, activity: WorkKind) -> None:
        self._send = send
        self._activity = activity
        self._own_pid = os.getpid()

    def exit(self, problem: str, line: int) -> NoReturn:
        # A process that user code has forked, and that returned to this point, must send nothing.
        if os.getpid() == self._own_pid:
            message = Finished(activity=self._activity, problem=problem, line=line)
            self._send(message)
        # Threads and exit handlers of user code must not keep the process alive.
        os._exit(0)

    def exit_after_error(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> NoReturn:
        """Exit after an uncaught exception."""
        from gradviz.worker.user_errors import describe_error, raising_file

        # Reading a user's object runs code of its class.
        if path := raising_file(trace):
            self.exit(describe_error(error, path), 0)
        traceback.print_exception(kind, error, trace, file=sys.__stderr__)
        os._exit(BUG)


_WORK: dict[type, WorkKind] = {
    DescribeRequest: "describe",
    RunRequest: "run",
    CheckRequest: "check",
}


def _warm_up() -> Ready:
    # Imports make no garbage worth a search, and torch's objects make each search slow.
    gc.disable()
    try:
        import torch

        # These import torch and take most of the start-up time, so do it before a request arrives.
        from gradviz.worker import check, describe, devices, run  # noqa: F401

        # Python starts a process to find it, and keeps it.
        platform.platform()
    except ImportError as error:
        problem = missing_packages("record") or say("failed.no_torch", reason=error)
        return Ready(torch="", problem=problem)
    finally:
        # Keep the garbage collector from scanning torch's objects again and again during the run.
        gc.freeze()
        gc.enable()
    ORIGINALS.keep_modules("gradviz", "torch")
    return Ready(torch=str(torch.__version__), devices=devices.devices())


def _serve(request: ChildRequest, send: SendReply, ready: Ready) -> tuple[str, int]:
    """Serve a request; return a sentence on what failed, or an empty text, and its line."""
    work = request.then if isinstance(request, DescribeRequest) else request
    device = "cpu" if work is None else work.offer.device
    if request.memory_bytes is not None and device == "cpu":
        # Code with inputs on the CPU may use an accelerator too.
        limit_memory(request.memory_bytes, reserves_addresses=len(ready.devices) > 1)
    sys.dont_write_bytecode = True
    if not isinstance(request, DescribeRequest):
        return _work(request, send)
    return _describe(request, send)


def _describe(request: DescribeRequest, send: SendReply) -> tuple[str, int]:
    from gradviz.worker.check_console import CheckConsole
    from gradviz.worker.describe import describe

    examples: dict[str, Example] = {}
    # What the file prints belongs to the check that follows.
    then = request.then
    console = CheckConsole(then.console_characters) if isinstance(then, CheckRequest) else None
    with console or contextlib.nullcontext():
        described = describe(request, send, examples)
    send(described)
    work = request.next_work(described)
    if work is not None:
        if isinstance(work, RunRequest):
            work = _with_shared_inputs(work)
        return _work(work, send, examples.get(work.offer.subject.name), console)
    return "" if described.offers else described.problem, described.line


def _with_shared_inputs(work: RunRequest) -> RunRequest:
    """The run with the inputs of the one that it is compared with, as far as they fit."""
    offer = work.offer if work.like is None else with_inputs_of(work.offer, work.like).offer
    if work.dtype:
        offer = with_input_dtype(offer, work.dtype)
    return structs.replace(work, offer=offer.with_setup_of(work.offer))


def _work(
    request: RunRequest | CheckRequest,
    send: SendReply,
    example: Example | None = None,
    console: CheckConsole | None = None,
) -> tuple[str, int]:
    from gradviz.worker.check import check, check_run
    from gradviz.worker.run import run

    if isinstance(request, CheckRequest):
        return check(request, send, example, console), 0
    result = run(request, example, send)
    if not result.problem:
        check_run(request, send)
    if result.given:
        offer = structs.replace(request.offer, inputs=result.given)
        send(Described(offers=(offer,)))
    return result.problem, result.line
