"""The forward of a custom Function as a plain function: autograd differentiates what is inside.

A Function hides from autograd what its ``forward`` computes. Called directly, with gradients on and
a stand-in for ctx, the same lines are recorded, and autograd's own Jacobian of them is what
``backward`` ought to be, unless forward leaves torch on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.checks.names import function_class, has_setup_context


class Scratch:
    """Stands in for ctx, and keeps whatever forward puts there until it is forgotten."""

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keeps what was saved where backward would find it."""
        self.saved_tensors = tensors

    save_for_forward = save_for_backward

    def mark_dirty(self, *_tensors: Tensor) -> None:
        """Changes nothing: autograd sees by itself what is changed in place."""

    def mark_non_differentiable(self, *_tensors: Tensor) -> None:
        """Changes nothing: what is not differentiable is not asked for."""

    def set_materialize_grads(self, value: bool) -> None:
        """Changes nothing, as no backward follows."""


def replay_of(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """The forward of the Function behind a callable, differentiable by autograd.

    The result takes the same arguments and returns the same outputs. It works on clones of them,
    so that autograd allows what forward changes in place. It raises whatever forward raises.

    Returns:
        None where there is no such Function.
    """
    cls = function_class(function)
    return None if cls is None else _replay(cls)


def replay_within(
    function: Callable[..., Any], classes: Iterable[type[Function]]
) -> Callable[..., Any]:
    """A function that uses Functions, with their forwards in their places.

    Where it does not get at them by ``MyFunction.apply``, they stay what they are.
    """

    def run(*arguments: Any) -> Any:
        replaced: list[Any] = [each for each in classes if "apply" not in vars(each)]
        try:
            for cls in replaced:
                cls.apply = staticmethod(_replay(cls))
            return function(*arguments)
        finally:
            for cls in replaced:
                del cls.apply

    return run


def _replay(cls: type[Function]) -> Callable[..., Any]:
    forward: Callable[..., Any] = cls.forward

    def run(*arguments: Any) -> Any:
        with torch.enable_grad():
            own = [each.clone() if isinstance(each, Tensor) else each for each in arguments]
            if has_setup_context(cls):
                return forward(*own)
            return forward(Scratch(_needs(arguments)), *own)

    return run


def _needs(arguments: Sequence[Any]) -> tuple[bool, ...]:
    return tuple(isinstance(each, Tensor) and each.requires_grad for each in arguments)
