"""Functions with typical mistakes, and the diagnosis expected for each.

A family of them is a module of this folder with a tuple ``CASES``; ``test_corpus.py`` finds it.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.model.check_settings import DEFAULTS, CheckSettings
from tests.checks.sample_functions import randn


@dataclass(frozen=True, slots=True)
class Broken:
    """A Function with inputs that show what is wrong with it.

    Attributes:
        name: In the test's name; unique within its family.
        function: A custom Function, or any callable.
        inputs: Makes the arguments anew, always the same ones.
        code: Of the diagnosis that is expected first; ``none`` for a Function that is right.
        settings: Of the check.
        order: 1 for the function, 2 for its backward.
    """

    name: str
    function: Callable[..., Any]
    inputs: Callable[[], tuple[Any, ...]]
    code: str
    settings: CheckSettings = DEFAULTS
    order: int = 1


def inputs(
    *shapes: tuple[int, ...], dtype: torch.dtype = torch.float64
) -> Callable[[], tuple[Tensor, ...]]:
    """Makes random arguments of these shapes that require a gradient."""
    return lambda: tuple(randn(*each, seed=k, dtype=dtype) for k, each in enumerate(shapes))


def cases(
    code: str, *named: tuple[str, Callable[..., Any], Callable[[], tuple[Any, ...]]], **options: Any
) -> tuple[Broken, ...]:
    """Cases with the same diagnosis: a name, a function and its inputs for each."""
    return tuple(Broken(*each, code, **options) for each in named)


def made(forward: Callable[..., Any], backward: Callable[..., Any]) -> type[Function]:
    """A Function of two plain functions, whose arguments have the names of the first one's.

    Args:
        forward: Takes the inputs and returns the outputs.
        backward: Takes the gradients of the outputs as a tuple, then the inputs; returns the
            gradients of the first inputs.
    """

    class Made(Function):
        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> Any:
            ctx.save_for_backward(*(each for each in inputs if isinstance(each, Tensor)))
            return forward(*inputs)

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            inputs = ctx.saved_tensors
            found = backward(gradients, *inputs)
            returned = found if isinstance(found, tuple) else (found,)
            return (*returned, *[None] * (len(inputs) - len(returned)))

    with contextlib.suppress(ValueError):  # Builtins may have no signature.
        own = inspect.signature(forward).parameters.values()
        ctx = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        vars(Made.forward)["__signature__"] = inspect.Signature([ctx, *own])
    return Made
