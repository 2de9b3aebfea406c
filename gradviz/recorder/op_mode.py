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

    It is on only while a stage runs, and off while the engine goes from node to node: under a
    dispatch mode, the engine no longer adds gradients up in place. For the same reason some nodes
    and functions are not looked into, see `compat.ALTERED_NODES`.

    Torch takes a mode off while it serves an op, so an op that another one calls inside itself is
    not seen.
    """

    def __init__(self, log: Log, ops: Ops) -> None:
        super().__init__()
        self._log = log
        self._ops = ops

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
        op = self._begin(func, args, kwargs)
        if op is None:
            return compat.call_op(func, args, kwargs)
        started = time.perf_counter_ns()
        result = compat.call_op(func, args, kwargs)
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

    @property
    def is_on(self) -> bool:
        """Whether the mode is on in this thread."""
        return any(mode is self for mode in compat.dispatch_modes())

    def put_on(self) -> bool:
        """Puts the mode on in this thread; False where it is on already."""
        if not self._log.alive or self.is_on:
            return False
        compat.put_on_dispatch(self)
        return True

    def take_off(self) -> None:
        """Takes the mode off in this thread, if it is on."""
        if self.is_on:
            compat.take_off_dispatch(self)

    @contextlib.contextmanager
    def turned(self, *, on: bool) -> Iterator[None]:
        """Puts the mode on or takes it off for a while, and leaves it as it was found."""
        was_on = self.is_on
        self._turn(on=on)
        try:
            yield
        finally:
            self._turn(on=was_on)

    def _turn(self, *, on: bool) -> None:
        if on:
            self.put_on()
        else:
            self.take_off()
