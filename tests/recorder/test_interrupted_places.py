"""An exception of a signal leaves nothing changed in the run, wherever it meets the recorder."""

from __future__ import annotations

import _signal
import _thread
import ctypes
import functools
import gc
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
import torch
from torch._C import _dispatch_tls_local_exclude_set
from torch.utils._python_dispatch import _get_current_dispatch_mode

from gradviz.recorder.patching.signals import HANDLERS
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.trace_function import get_trace_function
from tests.recorder.recorded_run import record_run
from tests.recorder.test_signals import train

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGUSR2"), reason="needs signals")

_DEPTH = 3
_CHANGES_STATE = ("__enter__", "__exit__", "_prepared", "_on_throw", "_on_raise", "_on_unwind")

Place = tuple[tuple[CodeType, int], ...]
"""The innermost calls, with their instructions."""


class InterruptedRunError(Exception):
    """What arrives in the run."""


class Interrupter:
    """Handler that sets its signal again, so that Python calls it wherever a signal may arrive.

    It is set past the recorder, which would let it wait otherwise.

    Attributes:
        seen: Where it was called.
    """

    def __init__(self, *, by_thread: bool) -> None:
        self.seen: dict[Place, None] = {}
        self._by_thread = by_thread
        self._wanted: Place | None = None
        self._is_on = False
        self._last: tuple[int, int] | None = None
        # Python drops what a handler returns: there, no function in Python may run.
        again = functools.partial(_thread.interrupt_main, signal.SIGUSR2)
        self._again = type("Again", (), {"__del__": staticmethod(again)})
        target = ctypes.c_ulong(threading.get_ident()), ctypes.py_object(InterruptedRunError)
        throw = functools.partial(ctypes.pythonapi.PyThreadState_SetAsyncExc, *target)
        self._throw = type("Throw", (), {"__del__": staticmethod(throw)})

    def begin(self, wanted: Place | None) -> None:
        """Interrupt the run where it first comes to a place."""
        self._wanted, self._is_on = wanted, True
        _thread.interrupt_main(signal.SIGUSR2)

    def end(self) -> bool:
        """Let no more happen; return whether the place was reached."""
        is_on, self._is_on = self._is_on, False
        return not is_on

    def handle(self, number: int, frame: FrameType | None) -> object:
        if not self._is_on or frame is None:
            return None
        place = _place(frame)
        if self._wanted is None:
            self.seen[place] = None
        elif place == self._wanted:
            self._is_on = False
            if self._by_thread:
                return self._throw()
            raise InterruptedRunError
        before, self._last = self._last, (id(frame), frame.f_lasti)
        if before == self._last and get_trace_function() is not None:
            # Up to Python 3.11, a traced function does not begin while a flag is set.
            self._last = None
            vars(HANDLERS)["_stuck"].append(signal.SIGUSR2)
            return None
        return self._again()


def _place(frame: FrameType | None) -> Place:
    found: list[tuple[CodeType, int]] = []
    while frame is not None and len(found) < _DEPTH:
        found.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return tuple(found)


for _function in (Interrupter.handle, _place):
    # Otherwise the lines of the handler would be recorded, which may be interrupted again.
    _function.__code__ = _function.__code__.replace(co_filename=torch.__file__)


def _changes_state(place: Place) -> bool:
    return any(code.co_name in _CHANGES_STATE for code, _ in place[: _DEPTH - 1])


def state() -> dict[str, Any]:
    """What a recording may change in the run, but must not leave changed."""
    return {
        "gradients": torch.is_grad_enabled(),
        "torch functions": tensor_compat.is_torch_function_enabled(),
        "dispatch mode": _get_current_dispatch_mode(),
        "dispatch keys": str(_dispatch_tls_local_exclude_set()),
        "tracing": torch.jit.is_tracing(),
        "collector": gc.isenabled(),
        "trace function": get_trace_function(),
        "profiler": sys.getprofile(),
    }


def interrupt(interrupter: Interrupter, place: Place | None) -> tuple[bool, bool]:
    """Whether the run came to a place, and whether it was interrupted there."""
    try:
        interrupter.begin(place)
        train()
        # What another thread raises comes a little later.
        return interrupter.end(), False
    except InterruptedRunError:
        return interrupter.end(), True


@pytest.fixture
def _handler() -> Iterator[None]:
    before = signal.getsignal(signal.SIGUSR2)
    yield
    signal.signal(signal.SIGUSR2, before)


@pytest.mark.usefixtures("_handler")
@pytest.mark.parametrize("by_thread", [False, pytest.param(True, marks=pytest.mark.sweep)])
@pytest.mark.parametrize(
    ("level", "is_whole"),
    [
        ("nodes", False),
        ("ops", False),
        *(
            pytest.param(level, is_whole, marks=pytest.mark.sweep)
            for level, is_whole in (("lines", False), ("nodes", True), ("ops", True))
        ),
    ],
)
def test_nothing_is_left_changed(
    tmp_path: Path, level: str, *, by_thread: bool, is_whole: bool
) -> None:
    def run() -> tuple[int, list[Any]]:
        train()
        gradient = train().tolist()
        interrupter = Interrupter(by_thread=by_thread)
        _signal.signal(signal.SIGUSR2, interrupter.handle)
        assert interrupt(interrupter, None) == (False, False)
        chosen = [each for each in interrupter.seen if is_whole or _changes_state(each)]
        before, wrong = state(), []
        for place in reversed(chosen):
            is_reached, is_raised = interrupt(interrupter, place)
            after = state()
            if is_reached != is_raised or after != before or train().tolist() != gradient:
                wrong.append((place, is_reached, is_raised, after))
        return len(chosen), wrong

    chosen, wrong = record_run(tmp_path, run, level=level, strict=False).result
    assert chosen > 50
    assert wrong == []
