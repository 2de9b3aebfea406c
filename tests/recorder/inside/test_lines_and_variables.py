"""Which lines are monitored, and which variables are kept."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from gradviz.recorder.inside.line_tracer import MONITORS, LineMonitor
from tests.programs import run_program
from tests.recorder import line_subject
from tests.recorder.line_backends import is_library, monitored, plain, traced
from tests.recorder.recorded_call import Call

# ``sys.monitoring`` reports the lines of ``sys.settrace`` and disturbs no other tool.


NEWER = ("python3.12", "python3.13", "python3.14")


def run(python: str) -> subprocess.CompletedProcess[str]:
    return run_program(
        [python, "-m", "tests.recorder.line_backends"], cwd=Path(__file__).parents[3]
    )


@pytest.mark.skipif(sys.version_info < (3, 12), reason="this Python has no sys.monitoring")
def test_monitoring_in_this_python() -> None:
    result = run(sys.executable)
    assert result.stdout.startswith("the same"), result.stderr


@pytest.mark.parametrize("name", NEWER)
def test_monitoring_in_others(name: str) -> None:
    """Needs no torch, so that any Python can run it."""
    python = shutil.which(name)
    if python is None or run_version(python) != 0:
        pytest.skip(f"there is no {name}")
    result = run(python)
    assert result.stdout.startswith("the same"), result.stderr


def run_version(python: str) -> int:
    return subprocess.run(
        [python, "--version"], stdin=subprocess.DEVNULL, capture_output=True, check=False
    ).returncode


def reported(work: Callable[[], object]) -> list[tuple[Any, ...]]:
    """What the backend of this Python reports."""
    if not MONITORS:
        return traced(work)
    monitor = LineMonitor(is_library)
    monitor.install()
    try:
        return monitored(monitor, work)
    finally:
        monitor.remove()


def test_the_backend_reports_every_statement_that_runs() -> None:
    found = reported(line_subject.main)
    assert [each for each in found if each[0] == "runs"] == plain()
    entered = [each for each in found if each[0] == "enters"]
    left = [each for each in found if each[0] == "leaves"]
    assert len(entered) == len(left) > 30
    assert {each[2] for each in left} == {"returned", "yielded", "raised"}


def test_a_generator_that_goes_on_is_distinguished() -> None:
    found = reported(lambda: list(line_subject.pieces(1)))
    assert [each[2] for each in found if each[0] == "enters"] == [False, True, True]
    assert [each[2:] for each in found if each[0] == "leaves"] == [
        *(("yielded", 1), ("yielded", 2), ("returned", "NoneType")),
    ]


# What a line sets and changes: tensors, arrays, containers, attributes of ``ctx``.


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


def test_changes_that_torch_does_not_count(tmp_path: Path) -> None:
    def body(ctx, x):
        square = torch.arange(4.0).view(2, 2).clone()
        strided = square.t()
        large = torch.zeros(100, 100)
        square.data[0, 0] = 5
        square.data = square.data.t()
        strided.detach().numpy()[1, 1] = 7
        square.data = square.data.neg()
        large.detach().numpy()[50, 50] = 1
        large.requires_grad_()
        last = 1
        return last

    call = Call(tmp_path, body)
    assert call.changed("square.data[0, 0] = 5") == {
        "square": [[5, 1], [2, 3]],
        "strided": [[5, 2], [1, 3]],
    }
    assert call.changed("square.data = square.data.t()") == {"square": [[5, 2], [1, 3]]}
    assert call.changed("strided.detach()") == {
        "square": [[5, 2], [1, 7]],
        "strided": [[5, 2], [1, 7]],
    }
    assert call.changed("square.data.neg()") == {"square": [[-5, -2], [-1, -7]]}
    assert [*call.changed("large.detach()")] == ["large"]
    assert [*call.changed("large.requires_grad_()")] == ["large"]
    assert call.changed("last = 1") == {"last": "1"}


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
