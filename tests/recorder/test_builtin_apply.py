"""A ``Function.apply`` in C++ is routed through the recorder, aliases made earlier included."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch.autograd import Function

from gradviz.recorder import compat
from gradviz.recorder.patching import builtin_apply
from gradviz.recorder.patching.builtin_apply import BuiltinApplyPatch, definition_of_apply


class Square(Function):
    # As torch 2.15 defines it for every Function.
    apply = vars(compat.FunctionBaseInC)["apply"]

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, times: float = 1.0) -> torch.Tensor:
        if times == 0:
            raise ValueError("not zero")
        return x * x * times

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return None, None


class WithState(Square):
    def __init__(self, scale: float) -> None:
        self.scale = scale


alias = Square.apply
Routed = list[tuple[Any, tuple[Any, ...], dict[str, Any]]]


@pytest.fixture
def routed() -> Iterator[Routed]:
    calls: Routed = []

    def make_apply(original: Callable[..., Any]) -> Any:
        def apply(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            calls.append((cls, args, kwargs))
            return original(cls, *args, **kwargs)

        return apply

    try:
        before = definition_of_apply().call
    except AttributeError as error:
        pytest.skip(f"in this torch, {error}")
    patch = BuiltinApplyPatch()
    patch.install(make_apply)
    yield calls
    patch.remove()
    assert definition_of_apply().call == before
    count = len(calls)
    assert alias(torch.ones(1, requires_grad=True)).grad_fn is not None
    assert len(calls) == count
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        assert isinstance(Square(), Square)


@pytest.mark.parametrize("apply", [Square.apply, alias, WithState.apply])
def test_every_way_to_call_it_is_routed(apply: Callable[..., Any], routed: Routed) -> None:
    x = torch.tensor([3.0], requires_grad=True)
    result = apply(x, 2.0)
    assert result.tolist() == [18]
    assert result.grad_fn is not None
    assert [(cls, args[1:], kwargs) for cls, args, kwargs in routed] == [
        (apply.__self__, (2.0,), {}),  # type: ignore[attr-defined]
    ]
    assert routed[0][1][0] is x


def test_an_exception_leaves_it_unchanged(routed: Routed) -> None:
    with pytest.raises(ValueError, match="not zero"):
        alias(torch.ones(1), 0)
    assert len(routed) == 1


def test_creating_an_instance_is_no_call(routed: Routed) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        assert isinstance(Square(), Square)
    assert WithState(2.0).scale == 2
    assert routed == []


def test_another_definition_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtin_apply, "_FLAGS", 0)
    with pytest.raises(AttributeError, match="other parameters"):
        definition_of_apply()


def test_an_alias_is_called_without_arguments(routed: Routed) -> None:
    with pytest.raises(TypeError, match="forward"):
        alias()
    assert [args for _, args, _ in routed] == [()]
