"""Sees each aten op inside of a stage: what it was given, what it made, what it changed."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

from gradviz.recorder import compat
from gradviz.recorder.border import bordered
from gradviz.recorder.log import Log
from gradviz.recorder.op_facts import facts_of
from gradviz.recorder.ops import OpenOp, Ops


class OpMode(compat.DispatchMode):
    """The dispatch mode of a recording that looks into steps.

    Torch takes the mode off while it serves an op, so an op that another one calls inside itself
    is not seen.
    """

    def __init__(self, log: Log, ops: Ops) -> None:
        super().__init__()
        self._log = log
        self._ops = ops
        self._over = False

    @property
    def border(self) -> Log:
        """Where trouble goes."""
        return self._log

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Calls the op, and records it where a stage runs."""
        kwargs = kwargs or {}
        if self._over:
            return func(*args, **kwargs)
        op = self._begin(func, args, kwargs)
        if op is None:
            return func(*args, **kwargs)
        started = time.perf_counter_ns()
        result = func(*args, **kwargs)
        self._end(op, func, result, started, time.perf_counter_ns())
        return result

    @bordered
    def _begin(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> OpenOp | None:
        place = self._ops.place()
        if place is None:
            return None
        facts = facts_of(func)
        given, writes = facts.given(args, kwargs)
        return self._ops.begin(place, facts.name, facts.overload, given, writes)

    @bordered
    def _end(self, op: OpenOp, func: Any, result: Any, started: int, stopped: int) -> None:
        self._ops.end(op, facts_of(func).made(result), started, stopped)

    @contextlib.contextmanager
    def entered_once(self) -> Iterator[None]:
        """Puts the mode on in this thread, unless it is on.

        The engine hands it on to its own threads, but a thread of the user may be older than the
        recording.
        """
        if self._over or any(mode is self for mode in compat.dispatch_modes()):
            yield
            return
        compat.put_on_dispatch(self)
        try:
            yield
        finally:
            compat.take_off_dispatch(self)

    def leave(self) -> None:
        """Takes the mode off in this thread; where others have it on, it does nothing any more."""
        self._over = True
        compat.take_off_dispatch(self)
