"""Recording lines changes nothing: numbers, tracers, locals or lifetimes of tensors."""

from __future__ import annotations

import gc
import sys
import threading
import warnings
import weakref
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import torch
from torch.autograd import Function

from tests.recorder.line_programs import LINE_PROGRAMS
from tests.recorder.recorded_run import RecordedRun, record_run
from tests.recorder.test_transparency import observed, random_state, torch_state
from tests.recorder.unusual_programs import ALL_PROGRAMS
from tests.sweeps import thinned

traced = pytest.mark.skipif(sys.version_info >= (3, 12), reason="sys.monitoring traces nothing")
EVERY_PROGRAM = {**ALL_PROGRAMS, **LINE_PROGRAMS}


@pytest.mark.parametrize("name", thinned(EVERY_PROGRAM))
def test_recording_lines_changes_no_bit(name: str, tmp_path: Path) -> None:
    run = EVERY_PROGRAM[name]
    before = torch_state()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(3)
        plain = observed(run())
        plain_random = random_state()
        torch.manual_seed(3)
        recording = record_run(tmp_path, run, level="all")
        recorded_random = random_state()
    assert observed(recording.result) == plain
    assert recorded_random == plain_random
    assert recording.notes == []
    assert torch_state() == before


def applied(body: Callable[..., Any]) -> Callable[[], Any]:
    """A program whose forward, once in each direction, calls ``body(ctx, x)``."""

    class Made(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.found = body(x)
            results.append(ctx.found)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            results.append(body(grad))
            return grad * 2

    results: list[Any] = []

    def run() -> Any:
        results.clear()
        Made.apply(torch.ones(4, requires_grad=True)).sum().backward()
        return list(results)

    return run


def recording(tmp_path: Path, body: Callable[..., Any]) -> tuple[Any, RecordedRun]:
    """What a body returns plainly, and its recorded run."""
    run = applied(body)
    plain = run()
    return plain, record_run(tmp_path, run, level="all")


def sees_no_tracer(x: Any) -> Any:
    found = sys.gettrace()
    return found


def holds_its_locals(x: Any) -> Any:
    held = locals()
    count = 1
    names = [name for name in held]  # noqa: C416
    for name in held:
        count += len(name)
    del names
    return sorted(held), count


def holds_its_variables(x: Any) -> Any:
    held = vars()
    more = 1
    return sorted(held), more


def holds_its_frame(x: Any) -> Any:
    frame = sys._getframe()  # noqa: SLF001
    held = frame.f_locals
    more = 1
    del frame
    return sorted(held), more


def writes_to_a_frame(x: Any) -> Any:
    value = 1
    exec("value = 2")
    again = eval("value")
    return value, again


def catches(x: Any) -> Any:
    try:
        return x.no_such_thing
    except AttributeError as error:
        return str(error), error.__traceback__ is not None
    finally:
        x = None


def traces_itself(x: Any) -> Any:
    seen: list[tuple[str, str, int]] = []

    def tracer(frame: FrameType, event: str, arg: object) -> Any:
        if frame.f_code.co_filename == __file__ and len(seen) < 50:
            seen.append((event, frame.f_code.co_name, frame.f_lineno))
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        assert sys.gettrace() is tracer
        helper(1)
    finally:
        sys.settrace(before)
    return seen, before


def helper(n: int) -> int:
    n = n + 1
    return n


@traced
def test_a_function_sees_no_tracer(tmp_path: Path) -> None:
    before = sys.gettrace()
    plain, run = recording(tmp_path, sees_no_tracer)
    assert run.result == plain == [before, before]
    assert sys.gettrace() is before


@pytest.mark.parametrize("body", [holds_its_locals, holds_its_variables, holds_its_frame])
def test_locals_that_are_held_stay_what_they_were(body: Any, tmp_path: Path) -> None:
    plain, run = recording(tmp_path, body)
    assert run.result == plain
    if sys.version_info < (3, 13):
        (finding,) = run.trace.findings
        assert finding.code == "lines_left_out"
        assert body.__name__ in finding.message


@pytest.mark.parametrize("body", [writes_to_a_frame, catches])
def test_a_body_returns_the_same(body: Any, tmp_path: Path) -> None:
    plain, run = recording(tmp_path, body)
    assert run.result == plain
    assert run.notes == []


@traced
def test_a_tracer_that_the_user_sets_sees_the_same(tmp_path: Path) -> None:
    plain, run = recording(tmp_path, traces_itself)
    assert run.result == plain
    assert len(plain[0][0]) > 3


class Witness:
    """An external tracer, like a coverage tool's."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str, int]] = []

    def __call__(self, frame: FrameType, event: str, arg: object) -> Any:
        if frame.f_code.co_filename.endswith("line_programs.py"):
            self.seen.append((event, frame.f_code.co_name, frame.f_lineno))
        return self

    def watch(self, run: Callable[[], Any]) -> list[tuple[str, str, int]]:
        self.seen.clear()
        before = sys.gettrace()
        sys.settrace(self)
        try:
            run()
        finally:
            assert sys.gettrace() is self
            sys.settrace(before)
        return list(self.seen)


@traced
@pytest.mark.parametrize("name", thinned(LINE_PROGRAMS))
def test_a_tracer_from_outside_sees_the_same(name: str, tmp_path: Path) -> None:
    witness = Witness()
    plain = witness.watch(LINE_PROGRAMS[name])
    found = witness.watch(lambda: record_run(tmp_path, LINE_PROGRAMS[name], level="all"))
    assert found == plain
    assert len(plain) > 3


def test_what_is_put_back(tmp_path: Path) -> None:
    before = sys.gettrace, sys.settrace, sys.gettrace(), threading.gettrace()

    def raises(x: Any) -> Any:
        raise KeyError("mine")

    run = applied(raises)
    record_run(tmp_path, run, raises=True, level="all")
    assert (sys.gettrace, sys.settrace, sys.gettrace(), threading.gettrace()) == before


def dies_in_time(x: Any) -> Any:
    one = x * 1
    watched = weakref.ref(one)
    del one
    gone = watched() is None
    two = x * 2
    watched = weakref.ref(two)
    two = x * 3
    replaced = watched() is None
    watched = weakref.ref(passes_on(two))
    dropped = watched() is None
    pair = [x * 4]
    watched = weakref.ref(pair[0])
    pair.clear()
    cleared = watched() is None
    return gone, replaced, dropped, cleared


def passes_on(x: Any) -> Any:
    inner = x * 2
    return inner


def test_tensors_die_in_time(tmp_path: Path) -> None:
    plain, run = recording(tmp_path, dies_in_time)
    assert plain == [(True,) * 4] * 2
    assert run.result == plain
    assert run.notes == []


def test_nothing_is_kept_alive_afterwards(tmp_path: Path) -> None:
    watched: list[Any] = []

    def keeps(x: Any) -> Any:
        made = [x * 2, {"a": x * 3}]
        array = (x * 4).numpy(force=True)
        watched.extend([weakref.ref(made[0]), weakref.ref(made[1]["a"]), weakref.ref(array)])

    run = applied(keeps)
    gc.disable()
    try:
        record_run(tmp_path, run, level="all")
        assert len(watched) == 6
        assert [each() for each in watched] == [None] * 6
    finally:
        gc.enable()
