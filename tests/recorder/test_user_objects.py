"""Objects of the user that the recorder must leave alone."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.overrides import handle_torch_function, has_torch_function

from gradviz.model.step import NodeStep
from gradviz.recorder import compat
from gradviz.recorder.recording import Recording, RecordingError
from gradviz.recorder.safe_text import printable_value
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN
from tests.recorder.programs import Scale, leaf
from tests.recorder.recorded_run import record_run


def test_a_torch_function_without_a_name(tmp_path: Path) -> None:
    def twice(x: Any) -> Any:
        if has_torch_function((x,)):
            return handle_torch_function(functools.partial(twice), (x,), x)
        return x * 2

    assert record_run(tmp_path, lambda: twice(leaf(2).detach() + 1)).result.shape == (2,)
    again = tmp_path / "again"
    again.mkdir()
    assert record_run(again, lambda: twice(torch.ones(2, requires_grad=True))).result.tolist() == [
        2,
        2,
    ]


def test_no_attribute_of_a_users_object_is_asked_for(tmp_path: Path) -> None:
    class Touchy:
        def __getattr__(self, name: str) -> Any:
            raise ValueError(f"asked for {name}")

        def __call__(self) -> None:
            raise AssertionError

    class Number(int):
        def bit_length(self) -> int:
            raise AssertionError

    class Key:
        hashed = 0

        def __hash__(self) -> int:
            Key.hashed += 1
            return 1

    held = {Key(): 1}
    Key.hashed = 0
    assert printable_value(Touchy()).endswith("Touchy object")
    assert printable_value(Number(3)).endswith("Number object")
    assert printable_value(held).endswith("Key object: 1}")
    assert Key.hashed == 0
    assert printable_value(print) == "print"
    assert printable_value(Touchy).endswith("Touchy")
    record_run(tmp_path, lambda: Scale.apply(torch.ones(2), Number(3)))


@pytest.mark.parametrize("pass_on", [False, True])
def test_a_stream_that_the_run_kept_still_writes(
    pass_on: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = record_run(tmp_path, lambda: sys.stdout, pass_console_on=pass_on)
    recording.result.write("late\n")
    assert capsys.readouterr().out == "late\n"
    assert recording.trace.console == ()


def no_closure(cls: Any, *args: Any, **kwargs: Any) -> Any:
    return args


@pytest.mark.parametrize("change", ["closure", "apply", "boxed"])
def test_a_torch_that_is_built_otherwise_is_refused(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = torch.autograd.function.BackwardCFunction
    if not (compat.HAS_BOXED_APPLY if change == "boxed" else compat.IS_APPLY_PYTHON):
        pytest.skip("this torch has no such function")
    if change == "closure":
        monkeypatch.setattr(torch.autograd.Function, "apply", classmethod(no_closure))
    elif change == "apply":
        monkeypatch.delattr(torch.autograd.Function, "apply")
    else:
        monkeypatch.delattr(node, "apply_boxed")
    before = dict(vars(node)), sys.stdout, torch._C._len_torch_function_stack()  # noqa: SLF001
    writer = TraceWriter(tmp_path / "run.gradviz", ORIGIN)
    with pytest.raises(RecordingError, match=f"torch {torch.__version__.split('+')[0]}"):
        Recording(writer).__enter__()
    assert (dict(vars(node)), sys.stdout, torch._C._len_torch_function_stack()) == before  # noqa: SLF001
    monkeypatch.undo()
    with Recording(writer):
        Scale.apply(leaf(2))
    writer.close()


class ByClass(torch.autograd.Function):
    @classmethod
    def forward(cls, ctx, x, times, *more):
        ctx.save_for_backward(x)
        return x.mul_(1) * times

    @classmethod
    def backward(cls, ctx, grad):
        return grad[None].expand(2, -1), None, None


def test_class_methods_are_calls_as_well(tmp_path: Path) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    recording = record_run(
        tmp_path, lambda: ByClass.apply(x * 1, 3.0, torch.ones(1)).sum().backward()
    )
    assert x.grad.tolist() == [2, 2]
    (call,) = recording.trace.calls
    assert [item.name for item in call.arguments] == ["x", "times", "more[0]"]
    assert recording.of(call.arguments[0]) == [1, 2]
    assert call.needs_input_grad == (True, False, False)
    step = recording.named(NodeStep, "ByClassBackward")
    assert [item.name for item in step.received] == ["grad"]
    assert [item.name for item in step.returned] == ["x", "times", "more[0]"]
    assert [each.change for each in step.passed] == ["reduced", "none"]


def test_a_metaclass_that_raises_is_not_asked(tmp_path: Path) -> None:
    class Raises(type(torch.autograd.Function)):  # type: ignore[misc]
        def __getattribute__(cls, name: str) -> Any:
            if name == "__module__":
                raise KeyError(name)
            return super().__getattribute__(name)

        def __hash__(cls) -> int:
            return 1

        def __eq__(cls, other: object) -> bool:
            raise KeyError("equality")

    def make() -> Any:
        class Double(torch.autograd.Function, metaclass=Raises):
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                return x * 2

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                return g * 2

        return Double

    def run() -> list[float]:
        x = torch.ones(1, requires_grad=True)
        make().apply(make().apply(x)).sum().backward()
        assert x.grad is not None
        return x.grad.tolist()

    assert record_run(tmp_path, run, strict=False).result == [4.0]


def test_a_metaclass_of_a_tensor_that_raises_is_not_asked(tmp_path: Path) -> None:
    class Raises(type(torch.Tensor)):  # type: ignore[misc]
        def __getattribute__(cls, name: str) -> Any:
            if name in ("__module__", "__mro__", "__dict__", "__name__", "__qualname__"):
                raise KeyError(name)
            return super().__getattribute__(name)

        def __hash__(cls) -> int:
            return 1

        def __eq__(cls, other: object) -> bool:
            raise KeyError("equality")

    class Marked(torch.Tensor, metaclass=Raises):
        @classmethod
        def __torch_function__(cls, func: Any, _: Any, args: Any = (), kwargs: Any = None) -> Any:
            return super().__torch_function__(func, (), args, kwargs)

    def run() -> list[float]:
        x = leaf(1)
        ((x * 2).as_subclass(Marked) * 3).sum().backward()
        assert x.grad is not None
        return x.grad.tolist()

    assert record_run(tmp_path, run).result == [6.0]


class Interrupt(BaseException):
    """Caught by nothing that catches errors."""


@pytest.mark.parametrize("attribute", ["grad_fn", "requires_grad"])
def test_an_attribute_of_a_tensor_that_raises_is_not_asked(attribute: str, tmp_path: Path) -> None:
    def raising(_: Any) -> Any:
        raise Interrupt

    kind = type("Raising", (torch.Tensor,), {attribute: property(raising)})
    kept = []

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return (x * 2).as_subclass(kind)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return (g * 2).as_subclass(kind)

    def run() -> list[float]:
        x = leaf(1)
        kept.append(Double.apply(x) * 3)
        kept.append(x.detach().as_subclass(kind))
        torch.autograd.backward([(Double.apply(x) * 3).as_subclass(torch.Tensor).sum()])
        assert x.grad is not None
        return x.grad.tolist()

    assert record_run(tmp_path, run).result == run()
