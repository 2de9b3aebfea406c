"""Lifecycle of one child process: started, warm, working, ended.

Reader of a child's messages that keeps the latest state.

Reader of a pipe that keeps only the end of its data.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import threading
import time
from collections.abc import Callable, Sequence

from msgspec import structs

from gradviz.host.crash_location import code_line_in_stacks, user_file_of
from gradviz.host.ending_diagnosis import EndedChild, diagnose_ending
from gradviz.host.job import ChildJob
from gradviz.host.limits import SILENT_AFTER_S, ChildUsage, LimitReached, Limits, check_limits
from gradviz.host.process import WORKER, Process, count_oom_kills
from gradviz.protocol.frames import FrameError, FrameReader
from gradviz.protocol.messages import (
    CheckRequest,
    ChildReply,
    ChildRequest,
    Described,
    DescribeRequest,
    Finished,
    Ran,
    Ready,
    RunRequest,
    WorkProgress,
    pack_message,
    read_reply,
)

_PIECE_BYTES = 1 << 16


class MessageReader:
    """Thread that reads message frames, and the state they lead to.

    Attributes:
        job: Receiver of `Described`, `WorkProgress` and `Ran`.
        ready: The child's message that it is warm; None before.
        finished: The child's last message; None before.
        problem: What was wrong with the bytes received; empty if nothing was.
        heard: Time of the last message, on the monotonic clock.
        is_closed: Whether the stream has ended.
    """

    def __init__(self, changed: threading.Condition, on_ready: Callable[[Ready], None]) -> None:
        """Create an inbox that does not read yet.

        Args:
            changed: Notified when anything but ``heard`` changes.
            on_ready: Called from the reading thread.
        """
        self.job: ChildJob | None = None
        self.ready: Ready | None = None
        self.finished: Finished | None = None
        self.problem = ""
        self.heard = time.monotonic()
        self.is_closed = False
        self._changed = changed
        self._on_ready = on_ready
        self._thread: threading.Thread | None = None

    def start(self, descriptor: int) -> None:
        """Start the reading thread on a file descriptor."""
        self._thread = threading.Thread(
            target=self._read, args=(descriptor,), name="gradviz-messages", daemon=True
        )
        self._thread.start()

    def join(self, timeout_s: float) -> bool:
        """Wait until the stream has ended and return whether it has."""
        if self._thread is not None:
            self._thread.join(timeout_s)
        return self._thread is None or not self._thread.is_alive()

    def _read(self, descriptor: int) -> None:
        reader = FrameReader()
        try:
            # A plain read waits without the GIL and returns as soon as anything has arrived.
            while piece := os.read(descriptor, _PIECE_BYTES):
                for data, _ in reader.feed(piece):
                    self._take(read_reply(data))
        except FrameError as error:
            self.problem = str(error)
        finally:
            with self._changed:
                self.is_closed = True
                self._changed.notify_all()

    def _take(self, reply: ChildReply) -> None:
        self.heard = time.monotonic()
        match reply:
            case Ready():
                with self._changed:
                    self.ready = reply
                    self._changed.notify_all()
                # After the lock is released, because the callback is not our code.
                self._on_ready(reply)
            case Finished():
                with self._changed:
                    self.finished = reply
                    self._changed.notify_all()
            case Described() | WorkProgress() | Ran():
                if self.job is not None:
                    self.job.tell(reply)


KEPT_BYTES = 64 << 10
_STDERR_PIECE_BYTES = 1 << 18


class StderrTail:
    """Thread that reads a child's stderr until it closes, so that the child never blocks."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._kept = bytearray()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._drain, name="gradviz-stderr", daemon=True)
        self._thread.start()

    @property
    def text(self) -> str:
        """Last part of the data, as text."""
        with self._lock:
            return self._kept.decode("utf-8", "replace")

    def join(self, timeout_s: float) -> bool:
        """Wait until the pipe is closed and return whether it is."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _drain(self) -> None:
        while piece := os.read(self._descriptor, _STDERR_PIECE_BYTES):
            with self._lock:
                self._kept += piece
                del self._kept[:-KEPT_BYTES]


POLL_S = 0.1
FAMILY_EVERY = 5
"""Number of polls between two searches for descendants."""
LEAD_S = 0.5
"""Seconds that a job runs before the next child starts to import torch."""
GRACE_S = 2.0
"""Seconds that a finished child may take to exit, and its pipes to close."""
STACKS_S = 0.5
"""Seconds that faulthandler may take to write its stacks."""


class Child:
    """A child process and the thread that lives as long as it does."""

    def __init__(
        self,
        *,
        on_ready: Callable[[Ready], None] = lambda ready: None,
        on_gone: Callable[[Child], None] = lambda child: None,
        on_settled: Callable[[], None] = lambda: None,
        command: Sequence[str] = WORKER,
        job: ChildJob | None = None,
    ) -> None:
        """Start the process.

        Args:
            on_ready: Called when torch is imported, from a thread of this child.
            on_gone: Called when process and pipes are gone, from a thread of this child.
            on_settled: Called once, when the job has run for `LEAD_S` or ended sooner; another
                child can then start without slowing down a short job.
            command: The program and its arguments.
            job: Its one job; None to wait for `assign`.
        """
        self._on_gone = on_gone
        self._on_settled = on_settled
        self._settled = False
        self._command = command
        self._changed = threading.Condition()
        self._inbox = MessageReader(self._changed, on_ready)
        self._job: ChildJob | None = None
        self._stopped = False
        self._gone = False
        if job is not None:
            # Before the process can end, which would leave the job without an end.
            self.assign(job)
        self._thread = threading.Thread(target=self._live, name="gradviz-child", daemon=True)
        self._thread.start()

    def assign(self, job: ChildJob) -> bool:
        """Give the child its one job; False if it cannot take it."""
        with self._changed:
            if self._job is not None or self._stopped or self._gone or self._inbox.is_closed:
                return False
            self._job = job
            self._inbox.job = job
            self._changed.notify_all()
        job.on_cancel(self._wake)
        return True

    def stop(self) -> None:
        """Kill the child; its job, if it has one, ends as cancelled."""
        self._stopped = True
        self._wake()

    def join(self, timeout_s: float) -> bool:
        """Wait until the child is gone and return whether it is; no effect in its callbacks."""
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _live(self) -> None:
        try:
            process = Process(self._command)
        # A RuntimeError says that the system allows no more threads.
        except (OSError, RuntimeError) as error:
            self._end(EndedChild(start_error=str(error), was_ready=False))
            return
        self._inbox.start(process.stdout)
        tail = StderrTail(process.stderr)
        kills = count_oom_kills()
        facts = self._work(process, tail)
        if self._inbox.is_closed and facts.stop is None:
            # The pipe is closed a little before the process has ended.
            self._let_exit(process)
        outlived_pipe = self._inbox.is_closed and not process.has_ended()
        # Also after a normal exit, because processes that it has started may still be running.
        code = process.kill()
        self._let_pipes_close(process, tail)
        inbox = self._inbox
        self._end(
            dataclasses.replace(
                facts,
                path=user_file_of(self._job.request) if self._job else "",
                finished=inbox.finished,
                cancelled=self._is_cancelled(),
                problem=facts.problem or inbox.problem,
                was_ready=inbox.ready is not None,
                outlived_pipe=outlived_pipe,
                oom_kills=None if kills is None else (count_oom_kills() or 0) - kills,
                code=code,
                stacks=facts.stacks or tail.text,
                stderr=tail.text,
            )
        )

    def _end(self, facts: EndedChild) -> None:
        with self._changed:
            self._gone = True
            job = self._job
        self._on_gone(self)
        if job is not None:
            job.end(diagnose_ending(facts))
            self._settle()

    def _settle(self) -> None:
        if not self._settled:
            self._settled = True
            self._on_settled()

    def _let_pipes_close(self, process: Process, tail: StderrTail) -> None:
        """Close the pipes; first kill descendants outside the group that may hold them open."""
        if self._job is not None:
            process.kill_orphans()
        if self._inbox.join(GRACE_S) and tail.join(GRACE_S):
            process.close()

    def _work(self, process: Process, tail: StderrTail) -> EndedChild:
        """Supervise the child until its end and return the facts only this method knows."""
        if not self._warm_up():
            return EndedChild(
                slow_start_s=None if self._over() or not self._job else self._start_s()
            )
        with self._changed:
            self._changed.wait_for(lambda: self._job is not None or self._over())
        if self._job is None or self._over():
            return EndedChild()
        try:
            stop = self._watch(process, self._job)
        except FrameError as error:
            return EndedChild(problem=str(error))
        stacks = _stacks(process, tail, user_file_of(self._job.request)) if stop else ""
        return EndedChild(stop=stop, stacks=stacks)

    def _warm_up(self) -> bool:
        started = time.monotonic()
        with self._changed:
            while self._inbox.ready is None and not self._over():
                left = started + self._start_s() - time.monotonic()
                if left <= 0:
                    return False
                self._changed.wait(left)
        return self._inbox.ready is not None

    def _start_s(self) -> float:
        # A spare child that no job waits for has no time limit.
        return self._job.limits.start_s if self._job else threading.TIMEOUT_MAX / 2

    def _is_cancelled(self) -> bool:
        return self._stopped or (self._job is not None and self._job.is_cancelled)

    def _over(self) -> bool:
        return self._is_cancelled() or self._inbox.is_closed

    def _watch(self, process: Process, job: ChildJob) -> LimitReached | None:
        began = self._inbox.heard = time.monotonic()
        polls = 0
        while True:
            while job.has_unsent:
                process.send(pack_message(_limited(job.next_unsent(), job.limits)))
            with self._changed:
                if not (self._over() or self._inbox.finished or job.has_unsent):
                    self._changed.wait(POLL_S)
            if self._inbox.finished is not None:
                self._let_exit(process)
                return None
            if self._over() or process.has_ended():
                return None
            now = time.monotonic()
            silent_s = now - self._inbox.heard
            sign = ChildUsage(
                running_s=0.0 if job.is_waiting else now - max(began, job.clock_started),
                silent_s=silent_s,
                memory_bytes=process.memory_bytes(
                    job.limits.memory_bytes, whole_family=polls % FAMILY_EVERY == 0
                ),
                trace_bytes=_trace_bytes(job.request),
                is_suspended=silent_s > SILENT_AFTER_S and process.is_suspended(),
            )
            polls += 1
            if sign.running_s >= LEAD_S or job.is_waiting:
                self._settle()
            stop = check_limits(job.limits, sign)
            if stop is not None:
                return stop

    def _let_exit(self, process: Process) -> None:
        until = time.monotonic() + GRACE_S
        while time.monotonic() < until and not process.has_ended() and not self._is_cancelled():
            time.sleep(0.005)


def _limited(request: ChildRequest, limits: Limits) -> ChildRequest:
    """The request with the limits that the child itself keeps."""
    request = structs.replace(request, memory_bytes=limits.memory_bytes)
    if not isinstance(request, DescribeRequest):
        return _with_less_output(request, limits.output_characters)
    then = request.then and _with_less_output(request.then, limits.output_characters)
    return structs.replace(request, then=then)


def _with_less_output(work: RunRequest | CheckRequest, most: int) -> RunRequest | CheckRequest:
    if isinstance(work, CheckRequest):
        most = min(work.console_characters, most)
    return structs.replace(work, console_characters=most)


def _trace_bytes(request: ChildRequest) -> int:
    """Size of the trace that a child writes, with the log that is not yet part of it."""
    work = request.then if isinstance(request, DescribeRequest) else request
    if work is None:
        return 0
    total = 0
    for path in (work.trace, f"{work.trace}-wal"):
        # It does not exist until the child has written something.
        with contextlib.suppress(OSError):
            total += os.stat(path).st_size
    return total


def _stacks(process: Process, tail: StderrTail, path: str) -> str:
    """Ask the child for its stacks; returns stderr with them if they arrive in time."""
    if not process.request_stacks():
        return ""
    until = time.monotonic() + STACKS_S
    while code_line_in_stacks(tail.text, path) is None and time.monotonic() < until:
        time.sleep(0.01)
    return tail.text
