"""Runs one custom Function without the engine around it, where that gives the same bits.

Calling ``forward`` with a stand-in for ctx, and ``backward`` on the node that ``apply`` made, costs
a fraction of going through ``apply`` and the engine. What the engine does besides (checking and
reducing what backward returned) is done here; what cannot be done here is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import BackwardCFunction

from gradviz.checks.names import has_setup_context


class UnfitError(BaseException):
    """The Function does something for which it needs the engine.

    No `Exception`, so that no ``except`` of the Function takes it for its own.
    """


def _refuse(*_: object) -> NoReturn:
    raise UnfitError


class StandIn:
    """Takes what a forward tells its ctx, and refuses whatever else is asked of it."""

    needs_input_grad: tuple[bool, ...]
    mark_dirty = _refuse

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad

    def __getattr__(self, name: str) -> NoReturn:
        _refuse()

    def save_for_backward(self, *_tensors: Tensor | None) -> None:
        """Saves nothing, as no backward follows."""

    save_for_forward = mark_non_differentiable = save_for_backward

    def set_materialize_grads(self, value: bool) -> None:
        """Changes nothing, as no backward follows."""


def direct_forward(cls: type[Function], arguments: Sequence[Any]) -> Callable[[], Any]:
    """Runs ``forward`` alone, as ``apply`` runs it; call the result under ``no_grad``.

    The result raises `UnfitError` where the Function asks more of ctx than a stand-in has.
    """
    forward: Callable[..., Any] = cls.forward
    needs = tuple(isinstance(each, Tensor) and each.requires_grad for each in arguments)
    if not has_setup_context(cls):
        return lambda: forward(StandIn(needs), *arguments)
    seen = False

    def run() -> Any:
        nonlocal seen
        output = forward(*arguments)
        if not seen:  # It only stores, but might mark an input as dirty.
            cls.setup_context(StandIn(needs), tuple(arguments), output)
            seen = True
        return output

    return run


def direct_backward(
    output: Tensor, arguments: Sequence[Any]
) -> Callable[[Tensor], Sequence[Tensor | None]]:
    """Runs ``backward`` of the node behind the only output; call the result under ``no_grad``.

    The result gives the gradients of those arguments that require one, and raises `UnfitError`
    for whatever the engine would not simply take or sum.

    Raises:
        UnfitError: If the output does not come from such a node.
    """
    node: Any = output.grad_fn
    wanted = [k for k, each in enumerate(arguments) if _requires_grad(each)]
    plain = all(arguments[k].is_leaf for k in wanted)
    distinct = len({id(arguments[k]) for k in wanted}) == len(wanted)
    if not isinstance(node, BackwardCFunction) or not plain or not distinct:
        raise UnfitError
    count = len(node.needs_input_grad)
    empty = [k for k, each in enumerate(arguments) if not isinstance(each, Tensor)]
    forms = [(k, arguments[k].shape, arguments[k].dtype, arguments[k].device) for k in wanted]

    def run(gradient: Tensor) -> Sequence[Tensor | None]:
        returned = node.apply(gradient)
        values = returned if isinstance(returned, tuple) else (returned,)
        if len(values) != count and not _has_only_none_beyond(values, count):
            raise UnfitError
        for k in empty:
            if values[k] is not None:
                raise UnfitError
        return [_passed_on(values[k], *form) for k, *form in forms]

    return run


def _requires_grad(argument: object) -> bool:
    return isinstance(argument, Tensor) and argument.requires_grad


def _has_only_none_beyond(values: tuple[Any, ...], count: int) -> bool:
    """Whether there are enough values, and the rest is None, which the engine drops."""
    return len(values) > count and all(each is None for each in values[count:])


def _passed_on(
    value: Any, shape: torch.Size, dtype: torch.dtype, device: torch.device
) -> Tensor | None:
    """What the engine passes on of a returned gradient: itself, or summed to its input's shape."""
    if value is None:
        return None
    if not isinstance(value, Tensor) or value.layout is not torch.strided:
        raise UnfitError
    if value.dtype is not dtype or value.device != device:
        raise UnfitError
    if value.shape == shape:
        return value
    if not _is_expandable(shape, value.shape):
        raise UnfitError
    summed: Tensor = value.sum_to_size(shape)
    return summed


def _is_expandable(small: torch.Size, large: torch.Size) -> bool:
    if len(small) > len(large):
        return False
    pairs = zip(reversed(small), reversed(large), strict=False)
    return all(size in (1, wide) for size, wide in pairs)
