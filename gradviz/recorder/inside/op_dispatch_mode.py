"""Dispatch mode that records each aten op inside of a stage."""

from __future__ import annotations

from time import perf_counter_ns
from typing import Any

from gradviz.recorder import compat
from gradviz.recorder.asynchronous_errors import completed_by
from gradviz.recorder.error_boundary import within_error_boundary
from gradviz.recorder.inside.op_recorder import OpenOp, OpRecorder
from gradviz.recorder.inside.op_schema import facts_of
from gradviz.recorder.log import RecordLog


class OpDispatchMode(compat.DispatchMode):
    """The dispatch mode of a recording at the ops or lines level.

    It is on only while a stage runs, and off between nodes: under a dispatch mode, the engine no
    longer sums gradients in place. Some nodes and functions also compute differently under a
    mode, so they run without it, see `compat.ALTERED_NODES`.

    Torch disables a mode while it handles an op, so ops that another op calls are not seen.
    """

    def __init__(self, log: RecordLog, ops: OpRecorder) -> None:
        super().__init__()
        self.error_boundary = self._log = log
        self._ops = ops

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Call the op, and record it if a stage is open."""
        kwargs = kwargs or {}
        op = self._begin(func, args, kwargs)
        if op is None:
            return compat.call_op(func, args, kwargs)
        started = perf_counter_ns()
        result = compat.call_op(func, args, kwargs)
        self._end(op, func, result, started, perf_counter_ns())
        return result

    @within_error_boundary
    def _begin(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> OpenOp | None:
        place = self._ops.place()
        if place is None:
            return None
        facts = facts_of(func)
        given, writes = facts.given(args, kwargs)
        return self._ops.begin(place, facts.name, facts.overload, given, writes)

    @within_error_boundary
    def _end(self, op: OpenOp, func: Any, result: Any, started: int, stopped: int) -> None:
        self._ops.end(op, facts_of(func).made(result), started, stopped)

    def set_enabled(self, *, on: bool) -> EnabledMode:
        """Context in which the mode is on or off; the previous state is restored afterwards."""
        return EnabledMode(self, on=on)

    def push_mode(self) -> None:
        """Enable the mode in this thread, unless the recording has ended."""
        if self._log.alive and not compat.is_dispatch_mode_on(self):
            compat.push_dispatch_mode(self)

    def pop_mode(self) -> None:
        """Disable the mode in this thread."""
        if compat.is_dispatch_mode_on(self):
            compat.pop_dispatch_mode(self)


class EnabledMode:
    """Context in which a mode is on or off.

    No generator: it would run in frames of ``contextlib``, where exceptions of signals arrive.
    """

    __slots__ = ("_mode", "_on", "_was_on")

    def __init__(self, mode: OpDispatchMode, *, on: bool) -> None:
        self._mode = mode
        self._on = on
        self._was_on: bool | None = compat.is_dispatch_mode_on(mode)

    @completed_by("__exit__")
    def __enter__(self) -> None:
        self._mode.push_mode() if self._on else self._mode.pop_mode()

    @completed_by("__exit__")
    def __exit__(self, *exception: object) -> None:
        if self._was_on is not None:
            self._mode.push_mode() if self._was_on else self._mode.pop_mode()
            self._was_on = None
