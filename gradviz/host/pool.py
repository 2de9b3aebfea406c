"""Pool of child processes: one spare is always warm, and each request gets a fresh one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from gradviz.host.child import Child
from gradviz.host.job import ChildJob, OnEnd, OnMessage
from gradviz.host.job_ending import JobEnding
from gradviz.host.limits import Limits
from gradviz.host.process import WORKER
from gradviz.protocol.messages import ChildRequest, DescribeRequest, Ready

_WAIT_S = 0.5


def run_blocking(
    request: ChildRequest,
    *,
    limits: Limits | None = None,
    on_message: OnMessage = lambda message: None,
    command: Sequence[str] = WORKER,
    meanwhile: Callable[[], object] = lambda: None,
) -> JobEnding:
    """Run one request in one child process and wait for its end.

    Ctrl+C kills the child and arrives as `KeyboardInterrupt`. ``on_message`` is called from another
    thread, ``meanwhile`` once when the child has been started, such as to import what its result
    needs.
    """
    with ChildPool(keep_spare=False, command=command) as pool:
        job = pool.start(request, limits=limits, on_message=on_message)
        meanwhile()
        # Wait in short intervals: Windows delivers no Ctrl+C during a long wait.
        while (ending := job.wait(_WAIT_S)) is None:
            pass
        return ending


class PoolClosedError(RuntimeError):
    """The pool is closed and takes no more requests."""


class ChildPool:
    """Starts children and gives requests to them.

    All methods may be called from any thread. Callbacks come from threads of the pool, never from
    the caller's, so a window forwards them through a queued signal. Their exceptions propagate.
    """

    def __init__(
        self,
        *,
        on_ready: Callable[[Ready], None] = lambda ready: None,
        keep_spare: bool = True,
        command: Sequence[str] = WORKER,
    ) -> None:
        """Start the first spare child immediately.

        Args:
            on_ready: Called each time a child has imported torch; receives the devices.
            keep_spare: False for a single request, so that no further child is started.
            command: The program of a child and its arguments.
        """
        self._on_ready = on_ready
        self._keep_spare = keep_spare
        self._command = command
        self._lock = threading.Lock()
        self._children: set[Child] = set()
        self._closed = False
        self._ready: Ready | None = None
        with self._lock:
            self._spare: Child | None = self._make_child()

    @property
    def ready(self) -> Ready | None:
        """The latest child's message that it is warm; None until the first one."""
        return self._ready

    def start(
        self,
        request: ChildRequest,
        *,
        limits: Limits | None = None,
        on_message: OnMessage = lambda message: None,
        on_end: OnEnd = lambda ending: None,
    ) -> ChildJob:
        """Give a request to the spare child; never blocks on the child.

        The next spare starts a little later, so that it does not slow down a short job; but at once
        if a run is likely to follow.

        Args:
            request: The request.
            limits: Limits on time and memory; defaults of `Limits` if omitted.
            on_message: Called for each `Described` and `WorkProgress`.
            on_end: Called once, after the last message, when the process and all its descendants
                are gone and nothing writes to the trace file any more.

        Raises:
            PoolClosedError: After `close`.
        """
        job = ChildJob(request, limits or Limits(), on_message, on_end)
        with self._lock:
            if self._closed:
                raise PoolClosedError("the pool of child processes is closed")
            spare = self._spare
            if spare is None or not spare.assign(job):  # the spare has died in the meantime
                self._make_child(job)
            self._spare = None
            if isinstance(request, DescribeRequest) and request.then is None and self._keep_spare:
                self._spare = self._make_child()
        return job

    def replace_spare(self) -> None:
        """Replace the spare child with one that has the current environment and language."""
        with self._lock:
            old, self._spare = self._spare, None
        if old is not None:
            old.stop()
        self._make_spare()

    def close(self, timeout_s: float = 10.0) -> None:
        """Kill all children and wait for them; running jobs end as cancelled."""
        with self._lock:
            self._closed = True
            self._spare = None
            children = list(self._children)
        # Outside of the lock, which each child's thread needs to remove itself.
        for child in children:
            child.stop()
        # All children are told to stop before the first wait, so that they end at the same time.
        until = time.monotonic() + timeout_s
        for child in children:
            child.join(max(0.0, until - time.monotonic()))

    def __enter__(self) -> ChildPool:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _make_child(self, job: ChildJob | None = None) -> Child:
        child = Child(
            on_ready=self._hear,
            on_gone=self._forget,
            on_settled=self._make_spare,
            command=self._command,
            job=job,
        )
        self._children.add(child)
        return child

    def _make_spare(self) -> None:
        with self._lock:
            if self._keep_spare and self._spare is None and not self._closed:
                self._spare = self._make_child()

    def _hear(self, ready: Ready) -> None:
        self._ready = ready
        self._on_ready(ready)

    def _forget(self, child: Child) -> None:
        with self._lock:
            self._children.discard(child)
