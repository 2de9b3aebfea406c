"""What is checked: a function or its backward, its arguments, and how to restore their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeGuard

import torch
from msgspec import Struct
from torch import Tensor

from gradviz.checks.names import output_names
from gradviz.checks.output_parts import OutputPart
from gradviz.model.jacobian_report import JacobianBlock
from gradviz.recorder.compat import DISABLED_FUNCTIONS


class DifferentiatedInput(Struct, frozen=True):
    """An argument with respect to which the function is differentiated."""

    position: int
    name: str
    tensor: Tensor


def block_of(
    part: OutputPart, output_name: str, given: DifferentiatedInput, **found: Any
) -> JacobianBlock:
    """The block of an output part and an input, with what was found of it so far."""
    return JacobianBlock(
        output=part.output,
        output_name=output_name,
        output_shape=tuple(part.shape),
        input=given.position,
        input_name=given.name,
        input_shape=tuple(given.tensor.shape),
        part=part.part,
        **{"numerical": 0, "analytical": 0, "wrong": 0, "worst": None, **found},
    )


def requires_grad(value: object) -> TypeGuard[Tensor]:
    """Whether a value is a tensor that requires a gradient."""
    if not isinstance(value, Tensor):
        return False
    with DISABLED_FUNCTIONS():  # For no mode of a check is the question a call by the user's code.
        return value.requires_grad


def differentiated_inputs(
    arguments: Sequence[Any], names: Sequence[str]
) -> tuple[DifferentiatedInput, ...]:
    """The arguments that are tensors and require a gradient."""
    return tuple(
        DifferentiatedInput(position, name, value)
        for position, (name, value) in enumerate(zip(names, arguments, strict=True))
        if requires_grad(value)
    )


def overlaps(tensor: Tensor) -> bool:
    """Whether a dimension has stride 0, gradcheck's criterion for overlapping memory."""
    if tensor.layout is not torch.strided or tensor.is_nested:
        return False
    sizes = zip(tensor.stride(), tensor.shape, strict=True)
    return any(stride == 0 and size > 1 for stride, size in sizes)


def is_expandable(small: Sequence[int], large: Sequence[int]) -> bool:
    """Whether a shape can be broadcast to another one."""
    pairs = zip(reversed(small), reversed(large), strict=False)
    return len(small) <= len(large) and all(size in (1, wide) for size, wide in pairs)


@contextmanager
def restore_arguments(arguments: Sequence[Any]) -> Iterator[None]:
    """Restore the values of every dense tensor argument on exit, even after an exception."""
    kept = [
        # Through `.data`: neither autograd nor the version counter notices that they are restored.
        (each.data, each.data.clone())
        for each in arguments
        # Torch refuses to write to an expanded tensor.
        if isinstance(each, Tensor) and each.layout == torch.strided and not overlaps(each)
    ]
    try:
        yield
    finally:
        for data, before in kept:
            data.copy_(before)


class CheckSubject(Struct, frozen=True, kw_only=True):
    """A callable with its arguments and their names.

    Attributes:
        function: Any callable, or a custom Function.
        arguments: The arguments in order.
        names: Names of the arguments.
        order: 1 for a function, 2 for the backward of one.
        given_names: Names of the outputs; empty if their number is not known beforehand.
        once: Whether this is a backward marked ``once_differentiable``.
        once_names: The Functions marked so, if known.
        fixed: Positions of a module's parameters, whose shapes belong to the module.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    names: tuple[str, ...]
    order: int = 1
    given_names: tuple[str, ...] = ()
    once: bool = False
    once_names: tuple[str, ...] = ()
    fixed: frozenset[int] = frozenset()

    @property
    def inputs(self) -> tuple[DifferentiatedInput, ...]:
        """The arguments that are differentiated, with positions and names."""
        return differentiated_inputs(self.arguments, self.names)

    @property
    def tensors(self) -> Sequence[Tensor]:
        """The arguments that are differentiated, as plain tensors."""
        return [each.tensor for each in self.inputs]

    @property
    def kind(self) -> Literal["function", "backward"]:
        """What an evaluation runs: the function itself, or the backward of one."""
        return "function" if self.order == 1 else "backward"

    def output_names(self, outputs: Sequence[Any]) -> tuple[str, ...]:
        """Names of what an evaluation has returned."""
        return self.given_names or output_names(outputs)
