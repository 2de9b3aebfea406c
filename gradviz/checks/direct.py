"""Direct calls of one custom Function without the engine, where the bits are the same.

Calling ``forward`` with a substitute for ctx, and ``backward`` on the node that ``apply``
created, costs a fraction of going through ``apply`` and the engine. The engine's further work,
validating and reducing what backward returned, is done here; anything else raises `UnfitError`.
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
    """The Function does something that needs the engine.

    Derives from BaseException so that an ``except Exception`` in the Function does not catch it.
    """


def _refuse(*_: object) -> NoReturn:
    raise UnfitError


class StandIn:
    """Substitute for ctx that accepts what forward usually does with it and refuses the rest."""

    needs_input_grad: tuple[bool, ...]
    mark_dirty = _refuse

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad

    def __getattr__(self, name: str) -> NoReturn:
        _refuse()

    def save_for_backward(self, *_tensors: Tensor | None) -> None:
        """Ignore the tensors, since no backward follows."""

    save_for_forward = mark_non_differentiable = save_for_backward

    def set_materialize_grads(self, value: bool) -> None:
        """Ignore the setting, since no backward follows."""


def direct_forward(cls: type[Function], arguments: Sequence[Any]) -> Callable[[], Any]:
    """Build a call of ``forward`` alone, as in ``apply``; run it under ``no_grad``.

    The call raises `UnfitError` if the Function uses more of ctx than the substitute supports.
    """
    forward: Callable[..., Any] = cls.forward
    needs = tuple(isinstance(each, Tensor) and each.requires_grad for each in arguments)
    if not has_setup_context(cls):
        return lambda: forward(StandIn(needs), *arguments)
    seen = False

    def run() -> Any:
        nonlocal seen
        output = forward(*arguments)
        if not seen:  # One call is enough to see whether ctx is used in an unsupported way.
            cls.setup_context(StandIn(needs), tuple(arguments), output)
            seen = True
        return output

    return run


def direct_backward(
    output: Tensor, arguments: Sequence[Any]
) -> Callable[[Tensor], Sequence[Tensor | None]]:
    """Build a call of ``backward`` of the only output's node; run it under ``no_grad``.

    The call returns the gradients of the arguments that require one. It raises `UnfitError` for
    gradients that the engine would not simply pass on or sum.

    Raises:
        UnfitError: If the output does not come from a suitable node.
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
    """Whether there are surplus values that are all None, which the engine drops."""
    return len(values) > count and all(each is None for each in values[count:])


def _passed_on(
    value: Any, shape: torch.Size, dtype: torch.dtype, device: torch.device
) -> Tensor | None:
    """A returned gradient as the engine passes it on: as it is, or summed to the shape."""
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
