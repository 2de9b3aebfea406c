"""Signals arrive in a recorded run as in one that is not recorded."""

from __future__ import annotations

import _signal
import contextlib
import ctypes
import gc
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import torch
from torch.overrides import _get_current_function_mode
from torch.utils._python_dispatch import _get_current_dispatch_mode

from gradviz.recorder.dispatch.function_mode import _EnabledMode as EnabledFunctionMode
from gradviz.recorder.inside.op_dispatch_mode import EnabledMode
from gradviz.recorder.log import RecordLog
from tests.recorder.recorded_run import record_run
from tests.sweeps import thinned

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs setitimer")


class InterruptedRunError(Exception):
    """What a handler of a run raises."""


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        (x,) = ctx.saved_tensors
        return 2 * x * g


def train() -> torch.Tensor:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    Square.apply(x.sin()).sum().backward()
    assert x.grad is not None
    return x.grad


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    before = {each: signal.getsignal(each) for each in (signal.SIGALRM, signal.SIGUSR1)}
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    for number, handler in before.items():
        signal.signal(number, handler)


def recorded(path: Path, level: str, run: Callable[[], Any], *, strict: bool = True) -> Any:
    """What a run returns while it is recorded, into a trace that ends well and is valid."""
    found = record_run(path, run, level=level, strict=strict)
    assert found.trace.outcome is not None
    assert found.trace.outcome.kind == "finished"
    assert found.notes == []
    return found.result


def interrupted_run(
    times: int, set_handler: Callable[..., Any] = signal.signal
) -> tuple[int, int, set[bool], list[float]]:
    """Runs of the handler, exceptions caught, grad modes and gradients of an interrupted run."""
    raised = caught = 0
    # The first `torch.tensor` of a process imports a module in C, and fails if that is interrupted.
    train()

    def handler(number: int, frame: FrameType | None) -> None:
        nonlocal raised
        raised += 1
        raise InterruptedRunError

    set_handler(signal.SIGALRM, handler)
    moments, modes = random.Random(43), set()
    for _ in range(times):
        try:
            signal.setitimer(signal.ITIMER_REAL, moments.uniform(1e-5, 2e-3))
            while True:
                train()
        except InterruptedRunError:
            caught += 1
        modes.add(torch.is_grad_enabled())
    return raised, caught, modes, train().tolist()


@pytest.mark.parametrize(("level", "times"), [("nodes", 500), ("ops", 300), ("lines", 200)])
def test_interrupts_at_random_places(tmp_path: Path, level: str, times: int) -> None:
    plain = interrupted_run(times)
    assert plain[:3] == (times, times, {True})
    assert recorded(tmp_path, level, lambda: interrupted_run(times)) == plain


@pytest.mark.parametrize("level", thinned(["lines", "nodes"]))
def test_interrupts_by_handlers_that_are_set_past_the_recorder(tmp_path: Path, level: str) -> None:
    """As by a library in C, or where a recording in another thread has begun."""
    found = recorded(tmp_path, level, lambda: interrupted_run(200, _signal.signal), strict=False)
    assert found[:3] == (200, 200, {True})


class InterruptedByThreadError(TimeoutError):
    """What a thread raises in another one."""


def run_stopped_by_a_thread(times: int) -> tuple[Counter[type], set[bool], list[float]]:
    """Exceptions caught, grad modes and gradients of a run in which a thread raises exceptions."""
    target, moments = threading.get_ident(), random.Random(44)
    begun, ended = threading.Semaphore(0), threading.Semaphore(0)

    def stop() -> None:
        for _ in range(times):
            begun.acquire()
            time.sleep(moments.uniform(0, 3e-3))
            raised = ctypes.py_object(InterruptedByThreadError)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(target), raised)
            ended.acquire()

    stopping = threading.Thread(target=stop)
    # What Python calls while it collects garbage, here of other tests, drops such exceptions.
    gc.collect()
    stopping.start()
    caught: Counter[type] = Counter()
    modes = set()
    for _ in range(times):
        until = time.monotonic() + 30
        try:
            begun.release()
            while time.monotonic() < until:
                train()
        except (InterruptedByThreadError, RuntimeError) as error:
            caught[type(error)] += 1
        ended.release()
        modes.add(torch.is_grad_enabled())
    stopping.join()
    return caught, modes, train().tolist()


@pytest.mark.parametrize("level", thinned(["lines", "ops", "nodes"]))
def test_exceptions_that_another_thread_raises(tmp_path: Path, level: str) -> None:
    plain = run_stopped_by_a_thread(100)
    assert plain[:2] == ({InterruptedByThreadError: 100}, {True})
    # Imports what recordings need late, in threads; see `gradviz.late_import`.
    (tmp_path / "first").mkdir()
    recorded(tmp_path / "first", level, lambda: run_stopped_by_a_thread(1), strict=False)
    assert recorded(tmp_path, level, lambda: run_stopped_by_a_thread(100), strict=False) == plain


@pytest.mark.parametrize(
    ("level", "context", "run"),
    [
        ("ops", EnabledMode, lambda x: torch.exp(x)),
        ("nodes", EnabledFunctionMode, lambda x: x.sum().backward()),
    ],
)
def test_a_recording_that_such_an_exception_has_cut_leaves_no_mode_behind(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    level: str,
    context: Any,
    run: Callable[[torch.Tensor], Any],
) -> None:
    leave, left = context.__exit__, []

    def raise_first(mode: Any, *exception: object) -> None:
        if not left:
            left.append(mode)
            raise InterruptedByThreadError
        leave(mode, *exception)

    monkeypatch.setattr(context, "__exit__", raise_first)

    def interrupted() -> None:
        with pytest.raises(InterruptedByThreadError):
            run(torch.ones(2, requires_grad=True))

    recorded(tmp_path, level, interrupted, strict=False)
    assert left
    assert _get_current_dispatch_mode() is None
    assert _get_current_function_mode() is None


@pytest.mark.parametrize("call", [Square.apply, torch.exp, lambda x: x.sum().backward()])
def test_exception_surfaces_in_the_call_that_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Callable[[torch.Tensor], Any]
) -> None:
    next_id = RecordLog.next

    def next_and_raise(log: RecordLog, kind: Any) -> int:
        signal.raise_signal(signal.SIGALRM)
        return next_id(log, kind)

    def handler(number: int, frame: FrameType | None) -> None:
        monkeypatch.setattr(RecordLog, "next", next_id)
        raise InterruptedRunError

    signal.signal(signal.SIGALRM, handler)
    x = torch.ones(2, requires_grad=True)

    def run() -> bool:
        monkeypatch.setattr(RecordLog, "next", next_and_raise)
        try:
            call(x)
        except InterruptedRunError:
            return True
        return False

    assert recorded(tmp_path, "nodes", run)


def signals_in_user_code(do: Callable[[], None]) -> list[str]:
    """Places of user code in which a signal was handled at once."""
    places: list[str] = []

    def here(place: str) -> None:
        do()
        places.append(place)

    class Noisy(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            here("forward")
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
            here("backward")
            return g * 2

    class Answering(torch.Tensor):
        @classmethod
        def __torch_function__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            here("torch function")
            return super().__torch_function__(func, types, args, kwargs or {})

    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda g: here("leaf hook"))
    y = Noisy.apply(x)
    y.register_hook(lambda g: here("tensor hook"))
    y.grad_fn.register_hook(lambda given, made: here("node hook"))
    model = torch.nn.Linear(2, 1)
    model.register_forward_hook(lambda *_: here("module hook"))
    model(y).sum().backward()
    optimizer = torch.optim.SGD([x], lr=0.1)

    def closure() -> float:
        here("closure")
        return 0.0

    optimizer.step(closure)
    torch.exp(torch.ones(2).as_subclass(Answering))
    return places


@pytest.mark.parametrize("level", ["nodes", "ops", "lines"])
def test_handler_runs_at_once_in_user_code(tmp_path: Path, level: str) -> None:
    came: list[int] = []
    signal.signal(signal.SIGUSR1, lambda number, frame: came.append(number))

    def do() -> None:
        before = len(came)
        signal.raise_signal(signal.SIGUSR1)
        assert len(came) == before + 1

    plain = signals_in_user_code(do)
    found = recorded(tmp_path, level, lambda: signals_in_user_code(do))
    assert found == plain


def test_handlers_look_unchanged(tmp_path: Path) -> None:
    def first(number: int, frame: FrameType | None) -> None: ...

    def second(number: int, frame: FrameType | None) -> None: ...

    signal.signal(signal.SIGUSR1, first)

    def run() -> list[Any]:
        return [
            signal.getsignal(signal.SIGUSR1),
            signal.getsignal(signal.SIGINT),
            signal.signal(signal.SIGUSR1, second),
            signal.signal(signal.SIGUSR1, signal.SIG_IGN),
            signal.getsignal(signal.SIGUSR1),
            signal.signal(signal.SIGUSR1, first),
        ]

    plain = run()
    assert recorded(tmp_path, "nodes", run) == plain
    assert signal.getsignal(signal.SIGUSR1) is first


def test_event_loop_is_woken_once_for_each_signal(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    os.set_blocking(reading, False)

    def run() -> None:
        runs = 0

        def handler(number: int, frame: FrameType | None) -> None:
            nonlocal runs
            runs += 1

        signal.signal(signal.SIGALRM, handler)
        signal.set_wakeup_fd(writing)
        try:
            for count in range(50):
                signal.setitimer(signal.ITIMER_REAL, 1e-4)
                while runs <= count:
                    train()
        finally:
            assert signal.set_wakeup_fd(-1) == writing

    recorded(tmp_path, "nodes", run)
    assert os.read(reading, 1000) == bytes([signal.SIGALRM]) * 50
    os.close(reading)
    os.close(writing)


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """Reading and writing end of a pipe that wakes an event loop."""
    ends = os.pipe()
    for end in ends:
        os.set_blocking(end, False)
    yield ends
    signal.set_wakeup_fd(-1)
    for end in ends:
        os.close(end)


def fill(writing: int) -> None:
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writing, bytes(4096))


def raise_in_recorder(
    monkeypatch: pytest.MonkeyPatch, *numbers: int, then: Callable[[], None] = lambda: None
) -> None:
    """Send signals to this process while the recorder runs its own code, and do something there."""
    next_id = RecordLog.next

    def next_and_raise(log: RecordLog, kind: Any) -> int:
        monkeypatch.setattr(RecordLog, "next", next_id)
        for number in numbers:
            signal.raise_signal(number)
        then()
        return next_id(log, kind)

    monkeypatch.setattr(RecordLog, "next", next_and_raise)


def set_handlers(first: Callable[[], Any] = lambda: None) -> list[int]:
    """Handlers of two signals; those that have run. The first one does something, too."""
    came: list[int] = []

    def handler(number: int, frame: FrameType | None) -> None:
        came.append(number)
        if number == signal.SIGUSR1:
            first()

    for number in (signal.SIGUSR1, signal.SIGALRM):
        signal.signal(number, handler)
    return came


def test_signals_wait_although_the_event_loops_pipe_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pipe: tuple[int, int]
) -> None:
    fill(pipe[1])

    def run() -> list[int]:
        came = set_handlers()
        signal.set_wakeup_fd(pipe[1], warn_on_full_buffer=False)
        raise_in_recorder(monkeypatch, signal.SIGUSR1, signal.SIGALRM)
        train()
        return came

    assert recorded(tmp_path, "nodes", run) == [signal.SIGUSR1, signal.SIGALRM]


@pytest.mark.parametrize("warns", [True, False])
def test_a_full_pipe_is_reported_as_the_run_wants_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pipe: tuple[int, int], warns: bool
) -> None:
    reported: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", reported.append)

    def run() -> int:
        set_handlers()
        signal.set_wakeup_fd(pipe[1], warn_on_full_buffer=warns)
        raise_in_recorder(monkeypatch, signal.SIGUSR1)
        train()
        fill(pipe[1])
        signal.raise_signal(signal.SIGUSR1)
        return len(reported)

    assert recorded(tmp_path, "nodes", run) == warns


def test_the_event_loop_is_woken_again_after_a_handler_ignores_a_signal_that_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pipe: tuple[int, int]
) -> None:
    # Python reports there that the signal came before it was ignored.
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)

    def run() -> int:
        set_handlers(lambda: signal.signal(signal.SIGALRM, signal.SIG_IGN))
        signal.set_wakeup_fd(pipe[1])
        raise_in_recorder(monkeypatch, signal.SIGUSR1, signal.SIGALRM)
        train()
        return signal.set_wakeup_fd(-1)

    assert recorded(tmp_path, "nodes", run) == pipe[1]


def test_the_event_loop_is_woken_in_the_child_of_a_fork_while_a_signal_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pipe: tuple[int, int]
) -> None:
    """As another thread may fork while the main thread is in the recorder."""
    codes: list[int] = []

    def fork() -> None:
        child = os.fork()
        if not child:
            os._exit(int(signal.set_wakeup_fd(-1) == pipe[1]))
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    def run() -> list[int]:
        set_handlers()
        signal.set_wakeup_fd(pipe[1])
        # Since Python 3.12, no event loop of asyncio is woken in a child, if it is imported.
        fork()
        raise_in_recorder(monkeypatch, signal.SIGUSR1, then=fork)
        train()
        return codes

    plain, waiting = recorded(tmp_path, "nodes", run)
    assert waiting == plain
    assert plain or sys.version_info >= (3, 12)


def test_a_signal_that_comes_while_the_event_loop_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pipe: tuple[int, int]
) -> None:
    change = _signal.set_wakeup_fd

    def interrupted(fd: int, **options: bool) -> int:
        monkeypatch.undo()
        before = change(fd, **options)
        signal.raise_signal(signal.SIGUSR1)
        return before

    def run() -> list[int]:
        set_handlers()
        found = [signal.set_wakeup_fd(pipe[1])]
        monkeypatch.setattr(_signal, "set_wakeup_fd", interrupted)
        found.append(signal.set_wakeup_fd(-1))
        monkeypatch.setattr(_signal, "set_wakeup_fd", interrupted)
        found.append(signal.set_wakeup_fd(pipe[1]))
        return [*found, signal.set_wakeup_fd(-1)]

    assert recorded(tmp_path, "nodes", run) == [-1, pipe[1], -1, pipe[1]]


def test_a_signal_that_waits_at_the_end_comes_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pipe: tuple[int, int]
) -> None:
    came = set_handlers()
    signal.set_wakeup_fd(pipe[1])
    finish = RecordLog.finish

    def finish_and_raise(log: RecordLog, outcome: Any) -> None:
        signal.raise_signal(signal.SIGUSR1)
        assert came == []
        finish(log, outcome)

    monkeypatch.setattr(RecordLog, "finish", finish_and_raise)
    recorded(tmp_path, "nodes", train)
    assert came == [signal.SIGUSR1]
    assert signal.set_wakeup_fd(-1) == pipe[1]
