"""What is told of a line: where it is, what it set, changed and returned, what it called."""

from __future__ import annotations

import contextlib
import ctypes
import linecache
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from gradviz.model.inside import Frame, Line, Part
from gradviz.model.item import Item
from gradviz.model.step import ErrorStep
from gradviz.recorder import part_lines
from tests.recorder.taping import Taped, tape

HERE = Path(__file__).read_text().splitlines()


class Call:
    """One forward whose body is given, recorded."""

    def __init__(self, path: Path, body: Callable[..., Any], *, raises: bool = False) -> None:
        class Made(Function):
            @staticmethod
            def forward(ctx, x):
                ctx.value = body(ctx, x)
                return x * 2

            @staticmethod
            def backward(ctx, grad):
                return grad * 2

        x = torch.ones(3, dtype=torch.float64, requires_grad=True)
        self.taped = tape(path, lambda: Made.apply(x), raises=raises, level="lines")
        self.part = part_of(self.taped, "forward")
        self.frame = self.part.frames[1]

    def line(self, text: str, visit: int = 0) -> Line:
        """The line of this file that has the given text."""
        found = [
            line for line in self.part.lines if text in HERE[line.location.line - 1].split("#")[0]
        ]
        return found[visit]

    def changed(self, text: str, visit: int = 0) -> dict[str, Any]:
        """Names and values that a line changed; tensors as lists."""
        return {item.name: self.value(item) for item in self.line(text, visit).changes}

    def value(self, item: Item) -> Any:
        return self.taped.of(item) if item.kind == "tensor" else item.text or None


def part_of(taped: Taped, stage: Any) -> Part:
    found = [part for each in taped.trace.insides if (part := each.part(stage)) and part.lines]
    return found[0]


def ones(factor: float = 1.0) -> list[float]:
    return [factor] * 3


def test_tensors(tmp_path: Path) -> None:
    def body(ctx, x):
        y = x * 2
        z = y
        y.add_(1)
        view = y[:1]
        view.zero_()
        y.detach().numpy()[1] = 7
        y = x
        del z
        return view

    call = Call(tmp_path, body)
    assert call.changed("y = x * 2") == {"y": ones(2)}
    assert call.changed("z = y") == {"z": ones(2)}
    assert call.changed("y.add_(1)") == {"y": ones(3), "z": ones(3)}
    assert call.changed("view = y[:1]") == {"view": [3]}
    assert call.changed("view.zero_()") == {"y": [0, 3, 3], "z": [0, 3, 3], "view": [0]}
    assert call.changed("y.detach().numpy()[1] = 7") == {"y": [0, 7, 3], "z": [0, 7, 3]}
    assert call.changed("y = x") == {"y": ones(2)}
    assert call.changed("y = x", 1) == {"y": ones()}
    assert call.line("del z").removed == ("z",)
    result = call.line("return view").result
    assert result is not None
    assert call.value(result) == [0]
    (shared,) = {item.tensor for item in call.line("z = y").changes}
    assert shared == call.line("y = x * 2").changes[0].tensor


def test_scalars_text_and_none(tmp_path: Path) -> None:
    def body(ctx, x):
        count = 1
        name = "a" * 300
        nothing = None
        count = 1  # again
        values = {"a": 1}
        values["a"] = 2
        thing = object()
        function = lambda: None  # noqa: E731
        return count, name, nothing, values, thing, function

    call = Call(tmp_path, body)
    assert call.changed("count = 1") == {"count": "1"}
    assert call.changed("count = 1", 1) == {"count": "1"}
    assert call.changed("name = ")["name"] == repr("a" * 200)[:200]
    assert call.changed("nothing = None") == {"nothing": None}
    assert call.line("nothing = None").changes[0].kind == "none"
    assert call.changed("values = {") == {"values": "{'a': 1}"}
    assert call.changed('values["a"] = 2') == {"values": "{'a': 2}"}
    assert call.changed("thing = object()") == {"thing": "builtins.object object"}
    assert "<lambda>" in call.changed("function = ")["function"]


def test_containers_of_tensors(tmp_path: Path) -> None:
    def body(ctx, x):
        pair = (x, x * 2)
        pair[1].add_(1)
        named = {"w": x, "n": 1, 3: [x * 4]}
        pair = pair[:1]
        del named
        return pair

    call = Call(tmp_path, body)
    assert call.changed("pair = (x") == {
        "pair": "(Tensor(...), Tensor(...))",
        "pair[0]": ones(),
        "pair[1]": ones(2),
    }
    assert call.changed("pair[1].add_(1)") == {"pair[1]": ones(3)}
    assert call.changed("named = {") == {
        "named": "{'w': Tensor(...), 'n': 1, 3: list(...)}",
        "named['w']": ones(),
        "named[3]": "[Tensor(...)]",
        "named[3][0]": ones(4),
    }
    assert call.line("pair = pair[:1]").removed == ("pair[1]",)
    assert call.line("del named").removed == ("named", "named['w']", "named[3]", "named[3][0]")


def test_arrays(tmp_path: Path) -> None:
    def body(ctx, x):
        array = np.arange(6.0).reshape(2, 3)[:, ::-1]
        array[0, 0] = 9
        same = array
        texts = np.array(["a"])
        number = np.float32(0.5)
        large = np.zeros(10_000)
        large[9_999] = 1
        array.flags.writeable = False
        return same, texts, number, large

    call = Call(tmp_path, body)
    assert call.changed("array = np") == {"array": [[2, 1, 0], [5, 4, 3]]}
    (item,) = call.line("array = np").changes
    assert (item.kind, item.text) == ("tensor", "numpy.ndarray")
    assert call.changed("array[0, 0] = 9") == {"array": [[9, 1, 0], [5, 4, 3]]}
    assert call.changed("same = array")["same"] == [[9, 1, 0], [5, 4, 3]]
    assert call.changed("texts = ") == {"texts": "numpy.ndarray object"}
    assert call.changed("number = ") == {"number": "0.5"}
    assert [item.name for item in call.line("large[9_999] = 1").changes] == ["large"]
    assert call.line("array.flags").changes == ()


def test_attributes_of_ctx(tmp_path: Path) -> None:
    def body(ctx, x):
        ctx.scale = 3
        ctx.tables = [x]
        put(ctx)
        del ctx.scale

    call = Call(tmp_path, body)
    assert call.changed("ctx.scale = 3") == {"ctx.scale": "3"}
    assert call.changed("ctx.tables = [x]") == {
        "ctx.tables": "[Tensor(...)]",
        "ctx.tables[0]": ones(),
    }
    assert call.changed("context.more = 4") == {"context.more": "4"}
    assert call.changed("put(ctx)") == {"ctx.more": "4"}
    assert call.line("del ctx.scale").removed == ("ctx.scale",)
    assert [item.name for item in call.part.frames[2].arguments] == [
        *("context", "context.scale", "context.tables", "context.tables[0]"),
    ]


def put(context):
    context.more = 4


class Watched:
    def __repr__(self) -> str:
        raise AssertionError("nobody may ask")

    __eq__ = __hash__ = __str__ = __len__ = __iter__ = __bool__ = __repr__  # type: ignore[assignment]


class Strange(list):  # type: ignore[type-arg]
    def __iter__(self):
        raise AssertionError("nobody may ask")

    __len__ = __repr__ = __eq__ = __getitem__ = __iter__  # type: ignore[assignment]


def test_objects_of_the_user_are_not_asked(tmp_path: Path) -> None:
    def body(ctx, x):
        thing = Watched()
        ctx.thing = thing
        values = Strange((x,))
        return thing, values

    call = Call(tmp_path, body)
    assert call.changed("thing = Watched()")["thing"].endswith("Watched object")
    assert call.changed("values = Strange")["values[0]"] == ones()


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
        ones(), "(1, 2)", "3", "{'more': 4}"
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


def calling(call: Call, frame: Frame) -> str | None:
    if frame.caller is None:
        return None
    return HERE[call.part.lines[frame.caller].location.line - 1]


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
        None if op.line is None else HERE[call.part.lines[op.line].location.line - 1].strip()
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
    taped = tape(tmp_path, lambda: Fails.apply(x).sum().backward(), raises=True, level="lines")
    part = part_of(taped, "backward")
    assert not part.finished
    error = taped.trace.steps[-1]
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
    taped = tape(tmp_path, lambda: Deep.apply(x, 70).sum().backward(), level="lines")
    assert seen != [threading.get_ident()]
    parts = [part for each in taped.trace.insides for part in each.parts if part.lines]
    told = [
        [HERE[line.location.line - 1].strip() for line in part.lines]
        for part in parts
        if part.stage == "backward" and part.frames[0].function.function == "Once.backward"
    ]
    assert told == [["seen.append(threading.get_ident())", "twice = grad * 2", "return twice"]]
    assert {part.thread for part in parts} != {""}


@pytest.fixture
def few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_lines, "MOST_LINES", 20)


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
    bare = [line for line in call.part.lines if line.location.source is None]
    assert [(line.location.path, line.location.line) for line in bare] == [
        ("<string>", 1),
        ("<string>", 3),
    ]
    assert [[item.name for item in line.changes] for line in bare] == [["y"], ["z"]]
    others = [line for line in call.part.lines if line.location.source is not None]
    texts = {source.id: source.text for source in call.taped.trace.sources}
    assert {texts[line.location.source] for line in others if line.location.source} == {
        Path(__file__).read_text()
    }


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


def test_nothing_is_told_on_the_other_levels(tmp_path: Path) -> None:
    x = torch.ones(3, requires_grad=True)
    for level in ("nodes", "ops"):
        folder = tmp_path / level
        folder.mkdir()
        taped = tape(folder, lambda: Once.apply(x).sum().backward(), level=level)
        parts = [part for each in taped.trace.insides for part in each.parts]
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

    taped = tape(tmp_path, run, level="lines")
    (source,) = [each for each in taped.trace.sources if each.path == path]
    assert source.text == LIBRARY
    for stage in ("forward", "backward"):
        part = part_of(taped, stage)
        assert {line.location.source for line in part.lines} == {source.id}
        assert [frame.function.function for frame in part.frames] == [
            *(f"Installed.{stage}", "helps"),
        ]
