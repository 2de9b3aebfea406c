"""What forward steps say about calls is what a function mode sees in a plain run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
import torch
from torch.overrides import TorchFunctionMode

from gradviz.model.item import Item
from gradviz.model.step import ForwardStep
from tests.recorder.call_forms import calls_of_many_forms
from tests.recorder.hook_programs import PROGRAMS, Leaves
from tests.recorder.recorded_run import RecordedRun, record_run
from tests.sweeps import thinned

PASSES = ("backward", "grad")


@dataclass
class Call:
    """A call that created a node.

    Attributes:
        arguments: Its tensors and other values, in order; tensors as their elements.
        names: For each argument, whether a variable of the calling function has a name and is it.
        outputs: Elements of what it returned.
    """

    function: str
    arguments: list[Any]
    is_named: list[Callable[[str], bool | None]]
    outputs: list[Any]


def flat(value: Any) -> Iterator[Any]:
    """Tensors of nested lists one by one, and all else as it is."""
    if isinstance(value, list | tuple) and any(isinstance(e, torch.Tensor) for e in value):
        for each in value:
            yield from flat(each)
    else:
        yield value


def elements(value: Any) -> Any:
    if not is_tensor(value):
        return value
    return value.detach().to_dense().clone().to(torch.float64).numpy()


def is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def calling_frame() -> FrameType:
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the caller's variables
    while frame and ("/torch/" in frame.f_code.co_filename or frame.f_code.co_filename == __file__):
        frame = frame.f_back
    assert frame is not None
    return frame


def names_of(frame: FrameType, argument: Any) -> Callable[[str], bool | None]:
    known = {**frame.f_globals, **frame.f_locals}

    def is_named(name: str) -> bool | None:
        """None if no variable has the name."""
        return known[name] is argument if name in known else None

    return is_named


class Calls(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Call] = []

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        given = [each for value in (*args, *kwargs.values()) for each in flat(value)]
        before = torch._C._autograd._get_sequence_nr()  # noqa: SLF001 - as the recorder asks
        arguments = [elements(each) for each in given]
        result = func(*args, **kwargs)
        made = torch._C._autograd._get_sequence_nr() != before  # noqa: SLF001
        name = (
            getattr(func.__self__, "__name__", "") if func.__name__ == "__get__" else func.__name__
        )
        name = name.strip("_") if name.endswith("__") else name
        if made and name not in PASSES:
            frame = calling_frame()
            outputs = [args[0]] if result is None else [e for e in flat(result) if is_tensor(e)]
            is_named = [names_of(frame, each) for each in given]
            self.seen.append(Call(name, arguments, is_named, [elements(e) for e in outputs]))
        return result


def assert_same(run: RecordedRun, item: Item, value: Any) -> None:
    if not isinstance(value, np.ndarray):
        assert item.kind != "tensor", item
        return
    assert item.tensor is not None, item
    found = np.asarray(run.values[item.tensor], np.float64)
    np.testing.assert_array_equal(found, value, err_msg=item.name, strict=True)


@pytest.mark.parametrize("code", thinned([*PROGRAMS, calls_of_many_forms]))
def test_calls_are_told_as_a_function_mode_sees_them(
    code: Callable[[], Leaves], tmp_path: Path
) -> None:
    torch.manual_seed(0)
    with Calls() as calls:
        code()
    torch.manual_seed(0)
    run = record_run(tmp_path, code)
    # Torch's own Functions, as that of a checkpoint, are no calls of torch functions.
    steps = [
        step
        for step in run.steps(ForwardStep)
        if step.call is None and step.pass_id is None and not step.op.endswith("Function")
    ]
    assert [step.op for step in steps] == [call.function for call in calls.seen]
    for step, call in zip(steps, calls.seen, strict=True):
        for item, value, is_named in zip(step.inputs, call.arguments, call.is_named, strict=True):
            assert_same(run, item, value)
            assert is_named(item.name) is not False, (step.op, item.name)
        for item, value in zip(step.outputs, call.outputs, strict=True):
            assert_same(run, item, value)
