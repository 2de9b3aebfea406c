"""Facts of a recorded line: its location, calls, return values and thread."""

from __future__ import annotations

import contextlib
import ctypes
import linecache
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from gradviz.model.inside import RecordingLevel, UserFrame
from gradviz.model.item import Item
from gradviz.model.step import ErrorStep
from gradviz.recorder.inside import stage_lines
from tests.recorder.recorded_call import Call, part_of
from tests.recorder.recorded_run import record_run

HERE = Path(__file__).read_text().splitlines()


def test_calls(tmp_path: Path) -> None:
    def body(ctx, x):
        return outermost(
            x, 1, 2, key=3, more=4
        )  # fmt: skip

    call = Call(tmp_path, body)
    frames = call.part.frames
    assert [frame.function.function.rpartition(".")[2] for frame in frames] == [
        *("forward", "body", "outermost", "inner", "inner"),
    ]
    assert [each.name for each in frames[2].arguments] == ["x", "rest", "key", "named"]
    assert [call.value(each) for each in frames[2].arguments] == [
        [1, 1, 1], "(1, 2)", "3", "{'more': 4}"
    ]  # fmt: skip
    callers = [calling(call, frame) for frame in frames]
    assert callers == [
        None,
        "                ctx.value = body(ctx, x)",
        "        return outermost(",
        "    first = inner(x)",
        "    return inner(first)",
    ]
    line = call.line("return outermost(")
    assert line.last_line == line.location.line + 2


def calling(call: Call, frame: UserFrame) -> str | None:
    if frame.caller is None:
        return None
    return call.text_of(call.part.lines[frame.caller])


def outermost(x, *rest, key, **named):
    first = inner(x)
    return inner(first)


def inner(value):
    return value * 2


def test_ops_belong_to_the_innermost_line(tmp_path: Path) -> None:
    def body(ctx, x):
        y = x.sin()
        return outermost(y, key=1)

    call = Call(tmp_path, body)
    lines = [
        None if op.line is None else call.text_of(call.part.lines[op.line]).strip()
        for op in call.part.ops
    ]
    assert lines == [
        "y = x.sin()",
        "return value * 2",
        "return value * 2",
        "return x * 2",
    ]
    for op in call.part.ops:
        assert op.location is not None
        assert op.line is not None
        assert op.location.line == call.part.lines[op.line].location.line


def test_results(tmp_path: Path) -> None:
    def body(ctx, x):
        ends_alone()
        returns_nothing()
        two = returns_two(x)
        return two

    call = Call(tmp_path, body)
    assert call.line("a = 1").result is None
    assert call.line("return None").result == Item(name="result", kind="none")
    result = call.line("return x, None").result
    assert result is not None
    assert result.text == "(Tensor(...), None)"
    assert call.line("ends_alone()").result is None


def ends_alone():
    a = 1
    assert a


def returns_nothing():
    return None


def returns_two(x):
    return x, None


class Fails(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        with contextlib.suppress(ValueError):
            refuse(1)
        grad = grad * 2
        refuse(
            grad
        )  # fmt: skip


def refuse(value):
    raise ValueError("mine")


def test_an_exception_ends_at_its_line(tmp_path: Path) -> None:
    x = torch.ones(3, requires_grad=True)
    recording = record_run(
        tmp_path, lambda: Fails.apply(x).sum().backward(), raises=True, level="all"
    )
    part = part_of(recording, "backward")
    assert not part.finished
    error = recording.trace.steps[-1]
    assert isinstance(error, ErrorStep)
    last = part.lines[-1]
    assert not last.finished
    assert error.location == last.location
    caller = part.frames[last.frame].caller
    assert caller is not None
    assert not part.lines[caller].finished
    texts = [HERE[line.location.line - 1].strip() for line in part.lines if not line.finished]
    assert texts == ["refuse(1)", 'raise ValueError("mine")', "refuse(", 'raise ValueError("mine")']


class Once(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        seen.append(threading.get_ident())
        twice = grad * 2
        return twice


def test_lines_are_the_same_without_ops(tmp_path: Path) -> None:
    def run() -> None:
        (Once.apply(torch.ones(3, requires_grad=True)) * 2).sum().backward()

    def told(level: RecordingLevel) -> list[Any]:
        folder = tmp_path / level
        folder.mkdir()
        recording = record_run(folder, run, level=level)
        parts = [part for each in recording.trace.insides for part in each.parts]
        assert any(part.ops for part in parts) == (level != "lines")
        return [
            (line.location.line, [(item.name, recording.of(item)) for item in line.changes])
            for part in parts
            for line in part.lines
        ]

    lines = told("lines")
    assert told("all") == lines
    assert told("ops") == []
    assert [name for _, changed in lines for name, _ in changed] == ["twice"]


seen: list[int] = []


class Deep(Function):
    """Nested passes: beyond a depth the engine goes on in a thread of its own."""

    @staticmethod
    def forward(ctx, x, depth):
        ctx.depth = depth
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        with torch.enable_grad():
            y = torch.ones(3, requires_grad=True)
            z = Deep.apply(y, ctx.depth - 1) if ctx.depth else Once.apply(y)
            z.sum().backward()
        return grad, None


def test_threads_of_the_engine(tmp_path: Path) -> None:
    seen.clear()
    x = torch.ones(3, requires_grad=True)
    recording = record_run(tmp_path, lambda: Deep.apply(x, 70).sum().backward(), level="all")
    assert seen != [threading.get_ident()]
    parts = [part for each in recording.trace.insides for part in each.parts if part.lines]
    told = [
        [HERE[line.location.line - 1].strip() for line in part.lines]
        for part in parts
        if part.stage == "backward" and part.frames[0].function.function == "Once.backward"
    ]
    assert told == [["seen.append(threading.get_ident())", "twice = grad * 2", "return twice"]]
    assert {part.thread for part in parts} != {""}


@pytest.fixture
def few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage_lines, "MOST_LINES", 20)


@pytest.mark.usefixtures("few_lines")
def test_too_many_lines_are_counted(tmp_path: Path) -> None:
    def body(ctx, x):
        total = 0
        for i in range(100):
            total += inner(i)
        return total

    call = Call(tmp_path, body)
    part = call.part
    assert len(part.lines) == 20
    # Each turn has three lines; the head runs once more than the body.
    assert len(part.lines) + part.more_lines == 1 + 1 + 3 * 100 + 1 + 1 + 1
    assert part.finished
    assert [line.finished for line in part.lines] == [True] * 20
    kept = [op for op in part.ops if op.line is not None]
    assert all(op.line < 20 for op in kept if op.line is not None)


def test_code_without_a_text_is_stepped(tmp_path: Path) -> None:
    def body(ctx, x):
        scope = {"x": x}
        exec("y = x * 2\n\nz = y + 1", scope)
        return scope["z"]

    call = Call(tmp_path, body)
    ops_of = [line for line in call.part.lines if line.location.source is None]
    assert [(line.location.path, line.location.line) for line in ops_of] == [
        ("<string>", 1),
        ("<string>", 3),
    ]
    assert [[item.name for item in line.changes] for line in ops_of] == [["y"], ["z"]]
    others = [line for line in call.part.lines if line.location.source is not None]
    texts = {source.id: source.text for source in call.recording.trace.sources}
    told = {texts[line.location.source] for line in others if line.location.source}
    assert Path(__file__).read_text() in told


def test_code_that_a_library_generates_is_not_that_of_python_c(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python 3.13 knows the text of ``python -c``, and calls both ``<string>``."""
    monkeypatch.setitem(linecache.cache, "<string>", (3, None, ["x\n"] * 3, "<string>"))

    def body(ctx, x):
        exec("y = 1", {})
        return Item(name="x", kind="none").name + str(x.sum())

    call = Call(tmp_path, body)
    found = [line for line in call.part.lines if line.location.path == "<string>"]
    assert [(line.location.line, line.location.source) for line in found] == [(1, None)]
    assert call.recording.trace.findings == ()


def test_times(tmp_path: Path) -> None:
    def body(ctx, x):
        pause()
        return x

    part = Call(tmp_path, body).part
    starts = [line.started_ns for line in part.lines]
    assert starts == sorted(starts)
    for line in part.lines:
        assert part.started_ns <= line.started_ns
        assert line.started_ns + line.duration_ns <= part.started_ns + part.duration_ns
        caller = part.frames[line.frame].caller
        if caller is not None:
            assert line.duration_ns <= part.lines[caller].duration_ns


def pause():
    ctypes.pythonapi.Py_IsInitialized()


def test_nothing_is_recorded_on_the_other_levels(tmp_path: Path) -> None:
    x = torch.ones(3, requires_grad=True)
    for level in ("nodes", "ops"):
        folder = tmp_path / level
        folder.mkdir()
        recording = record_run(folder, lambda: Once.apply(x).sum().backward(), level=level)
        parts = [part for each in recording.trace.insides for part in each.parts]
        assert all(part.lines == () and part.frames == () for part in parts)


LIBRARY = """
import torch

def helps(x):
    return x * 2

class Installed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return helps(x)

    @staticmethod
    def backward(ctx, grad):
        return helps(grad)
"""


def test_a_function_of_an_installed_package(tmp_path: Path) -> None:
    path = str(Path(torch.__file__).parents[1] / "installed_package" / "functions.py")
    linecache.cache[path] = (len(LIBRARY), None, LIBRARY.splitlines(keepends=True), path)
    scope: dict[str, Any] = {"__name__": "installed_package.functions", "__file__": path}
    exec(compile(LIBRARY, path, "exec"), scope)
    x = torch.ones(3, requires_grad=True)

    def run() -> None:
        # Before anybody knows that its file is to be read.
        scope["helps"](x).sum().backward()
        scope["Installed"].apply(x).sum().backward()

    recording = record_run(tmp_path, run, level="all")
    (source,) = [each for each in recording.trace.sources if each.path == path]
    assert source.text == LIBRARY
    for stage in ("forward", "backward"):
        part = part_of(recording, stage)
        assert {line.location.source for line in part.lines} == {source.id}
        assert [frame.function.function for frame in part.frames] == [
            *(f"Installed.{stage}", "helps"),
        ]
