"""Execution of a function with the derivative of some of its calls changed.

A wrong backward is often the derivative of a slightly different forward: a call with another
option, without a mask, or with another value as an operand. Forward runs again under autograd with
its own values and such a derivative; if that is what backward returns, the mistake is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

import torch
from msgspec import Struct
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as tree

from gradviz.checks.arguments import requires_grad
from gradviz.checks.reference.calling_source import (
    CallExpression,
    CallingLine,
    expression_at,
    find_calling_frame,
    find_calling_line,
)
from gradviz.checks.reference.decompositions import PARTS
from gradviz.checks.reference.held_constant import RESULT, ConstantResult, torch_name, written_out

ChangeKind = Literal["scale", "skip", "option", "use", "turn", "choice"]
"""What is changed: multiply a gradient on its way; pass it through unchanged; use another argument;
use another value of an operand; use the conjugate or the transpose of an operand; give the gradient
of a chosen element to others."""

CallNumber = tuple[int, int]
"""Number of a call, and of a part of it if it is a composite function; else 0."""

_MOST_KEPT = 100_000
"""Larger values are not tried as operands."""


class UnfitChangeError(Exception):
    """A change gives a result of another shape or dtype."""


class DerivativeChange(Struct, frozen=True):
    """A change of the derivative of one call.

    Attributes:
        kind: What is changed.
        place: The operand it is about, or `RESULT`.
        option: The new argument.
        value: The value to use instead of the operand.
        factor: What the gradient is multiplied by.
        recomputes: Whether the result changes too, as if backward had computed it again.
    """

    kind: ChangeKind
    place: int = RESULT
    option: Any = None
    value: Tensor | None = None
    factor: float = 1.0
    recomputes: bool = False


class ForwardCall(Struct, frozen=True):
    """A call of torch in forward whose result has a gradient.

    Attributes:
        number: Its number among all calls.
        name: Name of the function.
        line: Line of the call.
        source: What the source writes there.
        values: Its operands and its result by their places, without history.
        differentiated: The places of operands that have a gradient.
        options: The arguments that are no tensors, by their places.
        key: What calls of the same place in the source have in common.
    """

    number: CallNumber
    name: str
    line: CallingLine | None
    source: CallExpression
    values: Mapping[int, Tensor]
    differentiated: tuple[int, ...]
    options: Mapping[int, Any]
    key: tuple[object, ...]

    def at(self, place: int) -> ConstantResult:
        """An operand or the result, as part of a sentence."""
        return ConstantResult(self.number[0], place, self.name, self.line, self.source)


class ChangedDerivativeMode(TorchFunctionMode):
    """Mode in which the derivatives of some calls are changed.

    Args:
        changes: The changes by the numbers of the calls; None to find out what can be changed.

    Attributes:
        calls: The calls with a gradient, in order; empty if changes were given.
    """

    def __init__(self, changes: Mapping[CallNumber, DerivativeChange] | None = None) -> None:
        super().__init__()
        self.calls: list[ForwardCall] = []
        self._changes = changes
        self._count = self._part = 0
        self._inside: list[str] = []

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Intercept every call of a torch function."""
        number, name, keywords = self._next(), torch_name(func), kwargs or {}
        change = None if self._changes is None else self._changes.get(number)
        if not torch.is_grad_enabled() or name.endswith("_") or "out" in keywords:
            return func(*args, **keywords)
        plain = PARTS.get(name)
        result = None
        if plain is not None and change is None:
            self._inside.append(name)
            self._part = 0
            # Torch disables the mode during a call, but the parts can be changed as well.
            with self:
                result = written_out(plain, args, keywords)
            self._inside.pop()
        result = func(*args, **keywords) if result is None else result
        if not requires_grad(result):
            return result
        if self._changes is None:
            self._note(number, name, args, keywords, result)
        return result if change is None else changed(func, args, keywords, result, change)

    def _next(self) -> CallNumber:
        """Number of a call, and of the part of it; a change leaves those of other calls alone."""
        if not self._inside:
            self._count += 1
            return self._count, 0
        self._part += 1
        return self._count, self._part

    def _note(
        self, number: CallNumber, name: str, args: Any, keywords: Mapping[str, Any], result: Tensor
    ) -> None:
        leaves = tree.tree_leaves((args, dict(keywords)))
        values = {k: each.detach() for k, each in enumerate(leaves) if _is_kept(each)}
        values[RESULT] = result.detach().clone()
        frame = find_calling_frame()
        source = CallExpression() if frame is None else expression_at(frame, name, args)
        source = CallExpression(source.call) if self._inside else source
        line = find_calling_line()
        place = None if frame is None else (frame.f_code, frame.f_lasti)
        self.calls.append(
            ForwardCall(
                number,
                name,
                line,
                source,
                values,
                tuple(k for k, each in enumerate(leaves) if requires_grad(each)),
                {k: each for k, each in enumerate(leaves) if not isinstance(each, Tensor)},
                (place, name, number[1]),
            )
        )


def changed(
    func: Callable[..., Any],
    args: tuple[Any, ...],
    keywords: Mapping[str, Any],
    result: Tensor,
    change: DerivativeChange,
) -> Tensor:
    """The result of a call with a changed derivative.

    Raises:
        UnfitChangeError: If the result has another shape or dtype.
    """
    leaves, form = tree.tree_flatten((args, dict(keywords)))
    other: Tensor
    if change.kind == "skip":
        given = leaves[change.place]
        leaves[change.place] = given.detach()
        args, keywords = tree.tree_unflatten(leaves, form)
        rest = given.detach() if change.recomputes else func(*args, **keywords)
        other = rest + (given - given.detach())
    elif change.kind == "scale" and change.place == RESULT:
        other = result * change.factor
    elif change.kind == "choice":
        other = _receivers(args[0], args[1], result, change.option)
    else:
        leaves[change.place] = _operand(leaves[change.place], change)
        args, keywords = tree.tree_unflatten(leaves, form)
        other = func(*args, **keywords)
    if other.shape != result.shape or other.dtype != result.dtype:
        raise UnfitChangeError
    return other if change.recomputes else result.detach() + (other - other.detach())


def _receivers(value: Tensor, dim: int, chosen: Tensor, which: str) -> Tensor:
    """A value of the shape of gathered elements that depends on other elements of their rows."""
    if which in ("all", "mean"):
        total = value.sum(dim, keepdim=True) if which == "all" else value.mean(dim, keepdim=True)
        return total.expand_as(chosen)
    return value.narrow(dim, 0 if which == "first" else value.shape[dim] - 1, 1).expand_as(chosen)


def _operand(given: Any, change: DerivativeChange) -> Any:
    """What a change uses as an operand, with the history of the given one."""
    if change.kind == "option":
        return change.option
    if change.kind == "scale":
        return given.detach() + change.factor * (given - given.detach())
    if change.kind == "turn":
        value = given.mH if change.option == "transpose" else given.conj()
    else:
        assert change.value is not None  # Every other change has one.
        value = change.value
    still = value.detach()
    return still + (given - given.detach()) if requires_grad(given) else still


def offered_options(call: ForwardCall) -> Iterator[DerivativeChange]:
    """Changes of a call's arguments that are no tensors: flags, dimensions, factors and names."""
    dims = max((each.dim() for each in call.values.values()), default=0)
    for place, given in call.options.items():
        others: Sequence[Any] = ()
        if isinstance(given, bool):
            others = (not given,)
        elif isinstance(given, int):
            others = [each for each in range(-dims, dims) if each != given]
        elif isinstance(given, str):
            others = [each for each in _NAMES if each != given]
        if isinstance(given, float) or (isinstance(given, int) and given not in (0, 1)):
            others = [*others, 1.0]
        for other in others:
            yield DerivativeChange("option", place, option=other)
            yield DerivativeChange("option", place, option=other, recomputes=True)


def offered_choices(call: ForwardCall) -> Iterator[DerivativeChange]:
    """Other elements that the gradient of chosen elements can be given to."""
    if call.name == "gather":
        yield from (DerivativeChange("choice", option=each) for each in _CHOICES)


_CHOICES = ("all", "mean", "first", "last")
_NAMES = ("ortho", "forward", "backward", "tanh", "none", "mean", "sum")


def offered_skips(call: ForwardCall, place: int) -> Iterator[DerivativeChange]:
    """To pass the gradient to one operand as if the call returned it."""
    if call.values[place].shape == call.values[RESULT].shape:
        yield DerivativeChange("skip", place)
        yield DerivativeChange("skip", place, recomputes=True)


def offered_turns(call: ForwardCall, place: int) -> Iterator[DerivativeChange]:
    """Other forms of an operand."""
    value = call.values[place]
    if value.is_complex():
        yield DerivativeChange("turn", place, option="conjugate")
    if value.dim() >= 2 and value.shape[-1] == value.shape[-2] > 1:
        yield DerivativeChange("turn", place, option="transpose")


def _is_kept(value: Any) -> bool:
    return isinstance(value, Tensor) and value.numel() <= _MOST_KEPT
