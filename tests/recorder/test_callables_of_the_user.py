"""Callables of the user that torch passes to the recorder as functions."""

from __future__ import annotations

import gc
import tempfile
import weakref
from functools import partial
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.overrides import handle_torch_function, has_torch_function

from gradviz.model.step import DispatchStep, ForwardStep
from tests.recorder.programs import leaf
from tests.recorder.recorded_run import record_run

Asked = list[str]


class Mine(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func: Any, _: Any, args: Any = (), kwargs: Any = None) -> Any:
        if isinstance(args[0], Mine):
            with torch._C.DisableTorchFunctionSubclass():  # noqa: SLF001 - as torch.Tensor does
                return args[0].as_subclass(torch.Tensor) * 3
        parent: Any = super()
        return parent.__torch_function__(func, (), args, kwargs)


def triple(function: Any, x: Any) -> Any:
    """Body of a function that types can override."""
    if has_torch_function((x,)):
        return handle_torch_function(function, (x,), x)
    return x * 3


def raising(name: str, error: type[BaseException], asked: Asked) -> Any:
    def method(*_: Any) -> Any:
        asked.append(name)
        raise error(name)

    return property(method) if name in ("__class__", "__name__") else method


def hostile(names: frozenset[str], error: type[BaseException], asked: Asked) -> Any:
    """A callable whose special methods raise, and are noted; ``meta`` means those of its class."""
    methods = {each: raising(each, error, asked) for each in names if each != "meta"}
    if "__getattribute__" in methods:

        def read(self: Any, name: str) -> Any:
            asked.append(name)
            raise error(name)

        methods["__getattribute__"] = read
    kind = type("Kind", (type,), dict.fromkeys(("__hash__", "__eq__"), raising("", error, asked)))
    make: Any = kind if "meta" in names else type
    return make("Hostile", (), {"__call__": triple, **methods})()


NAMES = ("__hash__", "__eq__", "__getattr__", "__getattribute__", "__class__", "__name__", "meta")


@pytest.mark.parametrize("kind", [torch.Tensor, Mine])
@given(
    names=st.frozensets(st.sampled_from(NAMES), min_size=1),
    error=st.sampled_from([ValueError, TypeError, AttributeError, KeyboardInterrupt]),
    level=st.sampled_from(["nodes", "ops"]),
)
@settings(max_examples=30)
def test_a_hostile_callable_is_not_asked(
    kind: type[torch.Tensor], names: frozenset[str], error: type[BaseException], level: str
) -> None:
    asked: Asked = []
    function = hostile(names, error, asked)

    def run() -> Any:
        x = torch.ones(2, requires_grad=True)
        return triple(function, (x * 1).as_subclass(kind)).tolist()

    plain = run()
    assert not asked
    with tempfile.TemporaryDirectory() as folder:
        recording = record_run(Path(folder), run, level=level)
    assert (recording.result, asked) == (plain, [])
    assert recording.notes == []
    if kind is Mine:
        (step,) = recording.steps(DispatchStep)
        assert step.function == "Hostile"
    else:
        assert recording.named(ForwardStep, "Hostile").op == "Hostile"


def renamed(name: str) -> Any:
    def function(*args: Any) -> Any:
        return args[-1] * 3

    function.__name__ = name
    return function


@pytest.mark.parametrize("wrap", [lambda inner: MethodType(inner, 0), partial, "text"])
def test_a_hostile_object_inside_a_callable_is_not_asked(wrap: Any, tmp_path: Path) -> None:
    asked: Asked = []
    if wrap == "text":
        methods = {each: raising(each, ValueError, asked) for each in ("__hash__", "endswith")}
        function = renamed(type("Text", (str,), methods)("own_"))
    else:
        inner = hostile(frozenset(NAMES), ValueError, asked)
        type(inner).__call__ = lambda *args: args[-1] * 3
        function = wrap(inner)

    def run() -> Any:
        x = torch.ones(2, requires_grad=True)
        return handle_torch_function(function, (x,), x).tolist()

    assert record_run(tmp_path, run).result == [3, 3]
    assert asked == []


def named() -> Any:
    def thrice(x: Any) -> Any:
        return triple(thrice, x)

    return thrice


class Called:
    def __call__(self, x: Any) -> Any:
        return triple(self, x)

    def method(self, x: Any) -> Any:
        return triple(self.method, x)


class OfInstance(Called):
    def __init__(self) -> None:
        self.__name__ = "mine"


class OfClass(Called):
    __name__ = "shared"


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (named(), "thrice"),
        (Called(), "Called"),
        (OfInstance(), "mine"),
        (OfClass(), "shared"),
        (Called().method, "method"),
    ],
)
def test_the_name_of_a_callable(function: Any, name: str, tmp_path: Path) -> None:
    recording = record_run(tmp_path, lambda: function(leaf(2)).sum().backward())
    assert [step.op for step in recording.steps(ForwardStep)] == [name, "sum"]


def test_a_function_dies_as_without_recording(tmp_path: Path) -> None:
    def run() -> Any:
        function: FunctionType | None = named()
        assert function is not None
        dead = weakref.ref(function)
        function(leaf(2)).sum().backward()
        del function
        gc.collect()
        return dead()

    assert record_run(tmp_path, run).result is None
