"""Variations of the inputs, each with its arguments and what its results must match.

Dimensions of the arguments that must match, and arguments resized along them. It is not known that,
say, the second dimension of ``x`` must match that of ``weight``, so this is found by trial:
dimensions match if forward accepts them enlarged together, but not alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any, Literal

import torch
from msgspec import Struct
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.arguments import (
    CheckSubject,
    DifferentiatedInput,
    differentiated_inputs,
    restore_arguments,
)
from gradviz.checks.backward_function import differentiable
from gradviz.checks.battery.backward_runs import EXPANDED, NON_OVERLAPPING, MemoryLayout
from gradviz.checks.battery.battery import RandomGradients
from gradviz.checks.names import callable_of, function_class, output_names
from gradviz.checks.output_parts import as_tuple, is_continuous
from gradviz.checks.problem_messages import UserCodeAttempt
from gradviz.checks.random_tensors import RandomTensors, same_random_state
from gradviz.checks.run.progress import Evaluations
from gradviz.model.jacobian_report import JacobianReport
from gradviz.recorder.accelerators import (
    RandomStates,
    available_accelerator,
    has_float64,
    random_states,
)
from gradviz.recorder.compat import gradients_of
from gradviz.recorder.patching.signals import calls_user_code

Arguments = tuple[Any, ...]

Recheck = Callable[[Arguments], JacobianReport]
"""Callable that checks the Jacobians of the same function on other arguments, nothing else."""


class VariationRun(Struct, kw_only=True):
    """Result of one forward and, if requested, one backward from random gradients.

    Attributes:
        numbers: Copies of the outputs that are floating-point or complex tensors.
        names: Names of these outputs.
        is_differentiable: Whether an output requires a gradient.
        refused: What forward raised.
        gradients: Gradients of the inputs; empty without a backward.
        error: What backward raised.
        draws: Whether forward drew random numbers.
    """

    numbers: tuple[Tensor, ...] = ()
    names: tuple[str, ...] = ()
    is_differentiable: bool = False
    refused: Exception | None = None
    gradients: tuple[Tensor | None, ...] = ()
    error: Exception | None = None
    draws: bool = False

    @property
    def is_finite(self) -> bool:
        """Whether all outputs are free of Inf and NaN."""
        return all(bool(each.isfinite().all()) for each in self.numbers)


class VariationRunner:
    """Runner of one function on any arguments.

    Attributes:
        fixed: Positions of arguments whose sizes cannot vary.
    """

    def __init__(self, subject: CheckSubject, evaluations: Evaluations) -> None:
        self._call = callable_of(subject.function)
        self._names = subject.names
        self.fixed = subject.fixed
        self._evaluations = evaluations

    def inputs(self, arguments: Arguments) -> tuple[DifferentiatedInput, ...]:
        """The arguments that require a gradient."""
        return differentiated_inputs(arguments, self._names)

    def forward(self, arguments: Arguments) -> VariationRun:
        """Run forward only, and restore the arguments' values."""
        with same_random_state(), restore_arguments(arguments):
            return self._forward(arguments)[0]

    @calls_user_code
    def both(self, arguments: Arguments) -> VariationRun:
        """Run forward and backward, and restore the arguments' values."""
        with same_random_state(), restore_arguments(arguments):
            run, outputs = self._forward(arguments)
            inputs = [each.tensor for each in self.inputs(arguments)]
            if run.is_differentiable and inputs:
                self._evaluations.expect(1)
                self._evaluations.begin()
                with UserCodeAttempt() as attempt:
                    run.gradients = gradients_of(outputs, inputs, RandomGradients()(outputs))
                run.error = attempt.error
        return run

    @calls_user_code
    def _forward(self, arguments: Arguments) -> tuple[VariationRun, list[Tensor]]:
        """Run forward; return the result and the differentiable outputs."""
        self._evaluations.expect(1)
        self._evaluations.begin()
        outputs: tuple[Any, ...] = ()
        before = random_states()
        with UserCodeAttempt() as attempt:
            outputs = as_tuple(self._call(*arguments))
        chosen = [value for _, value in differentiable(outputs)]
        named = zip(output_names(outputs), outputs, strict=True)
        run = VariationRun(
            names=tuple(name for name, each in named if is_continuous(each)),
            numbers=tuple(
                each.detach().to_dense().clone() for each in outputs if is_continuous(each)
            ),
            is_differentiable=bool(chosen),
            refused=attempt.error,
            draws=_differ(before, random_states()),
        )
        return run, chosen


def _differ(before: RandomStates, after: RandomStates) -> bool:
    """Whether a generator was used; one that was not in use before does not count."""
    pairs = zip(before, after, strict=False)
    return any(not torch.equal(one, other) for (_, one), (_, other) in pairs)


def leaf(tensor: Tensor, like: Tensor) -> Tensor:
    """Detach a tensor and make it a leaf argument in place of another."""
    return tensor.detach().requires_grad_(like.requires_grad and is_continuous(tensor))


InputDimension = tuple[int, int]
"""Position of an argument, and one of its dimensions."""

_MOST_TRIALS = 60
_MOST_AXES = 16


def sizes_that_go_together(
    runner: VariationRunner, arguments: Arguments
) -> list[tuple[InputDimension, ...]]:
    """Groups of dimensions that forward accepts resized together, found by trial."""
    axes = [
        (position, dim)
        for position, each in enumerate(arguments)
        if isinstance(each, Tensor) and position not in runner.fixed
        for dim in range(each.dim())
    ]
    groups: list[tuple[InputDimension, ...]] = []
    left = _MOST_TRIALS
    for axis in axes[:_MOST_AXES]:
        if any(axis in group for group in groups) or size_of(arguments, axis) < 2:
            continue
        for candidate in _candidates(arguments, axes, axis):
            if left == 0:
                return groups
            left -= 1
            size = size_of(arguments, axis) + 1
            if runner.forward(resized(arguments, candidate, size)).refused is None:
                groups.append(candidate)
                break
    return groups


def _candidates(
    arguments: Arguments, axes: Sequence[InputDimension], axis: InputDimension
) -> Iterator[tuple[InputDimension, ...]]:
    """Groups to try: the dimension alone, with one or two others of its size, or with all."""
    size = size_of(arguments, axis)
    others = [each for each in axes if each != axis and size_of(arguments, each) == size]
    for count in range(min(3, len(others) + 1)):
        for chosen in combinations(others, count):
            yield (axis, *chosen)
    if len(others) > 2:
        yield (axis, *others)


def size_of(arguments: Arguments, axis: InputDimension) -> int:
    """Size of one dimension of an argument."""
    tensor: Tensor = arguments[axis[0]]
    return tensor.shape[axis[1]]


def resized(arguments: Arguments, group: Iterable[InputDimension], size: int) -> Arguments:
    """Resize some dimensions of the arguments, reusing or interpolating their values."""
    made: list[Any] = list(arguments)
    for position, dim in group:
        made[position] = leaf(_with_size(made[position], dim, size), arguments[position])
    return tuple(made)


def _with_size(tensor: Tensor, dim: int, size: int) -> Tensor:
    """Shorten a tensor, or extend it by values in between, which stay in its domain."""
    values = tensor.detach()
    if size <= values.shape[dim]:
        return values.narrow(dim, 0, size).clone(memory_format=torch.contiguous_format)
    first, last = values.narrow(dim, 0, 1), values.narrow(dim, values.shape[dim] - 1, 1)
    between = last
    if is_continuous(values):
        # Use a separate weight for each element, or rows of a matrix would be linearly dependent.
        weight = RandomTensors(6).like(last.real if last.is_complex() else last).sigmoid()
        between = first * weight + last * (1 - weight)
    return torch.cat([values, *[between] * (size - values.shape[dim])], dim)


def smaller(
    runner: VariationRunner, arguments: Arguments, groups: Sequence[tuple[InputDimension, ...]]
) -> Arguments:
    """Shrink the arguments, with a different size per group where forward accepts it."""
    for k, group in enumerate(groups):
        # Groups of different size, so that mixed-up dimensions do not fit by chance.
        size = 2 + k % 3
        if size_of(arguments, group[0]) > size + 1:
            tried = resized(arguments, group, size)
            if runner.forward(tried).refused is None:
                arguments = tried
    return arguments


VariationKind = Literal["size", "none", "gradients", "layout", "precision", "complex", "device"]


class Variation(Struct, frozen=True, kw_only=True):
    """Alternative arguments for the function.

    Attributes:
        kind: What differs, which decides how it is judged.
        name: Short name for the table.
        arguments: The arguments to try.
        oracle: Arguments with the same values for which outputs and gradients must be the same;
            None if the Jacobians themselves are checked instead.
        expected: Whether a function that rejects them gets a row in the table.
        is_decisive: Whether a failure counts against the function.
    """

    kind: VariationKind
    name: str
    arguments: Arguments
    oracle: Arguments | None = None
    expected: bool = True
    is_decisive: bool = True


def variations(
    subject: CheckSubject, arguments: Arguments, groups: Sequence[tuple[InputDimension, ...]]
) -> Iterator[Variation]:
    """All variations of the arguments, the most informative first."""
    names = subject.names
    for group in groups:
        yield _sized(names, arguments, group, 1)
    yield from _nones(subject, arguments)
    yield from _subsets(names, arguments)
    for group in groups:
        yield _sized(names, arguments, group, 0)
    yield from _precisions(arguments)
    yield from _layouts(names, arguments)
    # The parameters of a module have the dimensions that its code needs.
    if not subject.fixed:
        yield from _without_dimensions(arguments)
    for group in groups:
        if _may_grow(arguments, group):
            yield _sized(names, arguments, group, size_of(arguments, group[0]) + 1)
    yield from _complex(arguments)
    yield from _devices(arguments)


def _sized(
    names: Sequence[str], arguments: Arguments, group: tuple[InputDimension, ...], size: int
) -> Variation:
    made = resized(arguments, group, size)
    shapes = {names[k]: tuple(made[k].shape) for k, _ in group}
    which = ", ".join(f"{name} {_shape_text(shape)}" for name, shape in shapes.items())
    return Variation(
        kind="size",
        name=say("variation.size" if size else "variation.empty", size=size, shapes=which),
        arguments=made,
        is_decisive=not has_indices(arguments),
    )


def has_indices(arguments: Arguments) -> bool:
    """Whether there are integer tensors, whose values may be indices into what is resized."""
    return any(isinstance(each, Tensor) and not is_continuous(each) for each in arguments)


def _may_grow(arguments: Arguments, group: tuple[InputDimension, ...]) -> bool:
    """Whether a group can grow without inventing indices or breaking a symmetry."""
    positions = [position for position, _ in group]
    once = len(set(positions)) == len(positions)
    return once and all(is_continuous(arguments[position]) for position in positions)


def _shape_text(shape: Sequence[int]) -> str:
    return f"({', '.join(map(str, shape))})"


def _nones(subject: CheckSubject, arguments: Arguments) -> Iterator[Variation]:
    optional = _optional(subject.function)
    for k, (name, each) in enumerate(zip(subject.names, arguments, strict=True)):
        if isinstance(each, Tensor) and k not in subject.fixed:
            made = (*arguments[:k], None, *arguments[k + 1 :])
            expected = name in optional
            # A forward that only saves the argument accepts None by accident.
            row = say("variation.none", name=name)
            yield Variation(
                kind="none", name=row, arguments=made, expected=expected, is_decisive=expected
            )


def _optional(function: Callable[..., Any]) -> set[str]:
    """Names of parameters whose default or annotation allows None."""
    cls = function_class(function)
    try:
        parameters = inspect.signature(function if cls is None else cls.forward).parameters
    except (TypeError, ValueError):  # Builtins may have no signature.
        return set()
    return {
        name
        for name, each in parameters.items()
        if each.default is None or any(word in str(each.annotation) for word in ("None", "Opt"))
    }


def _subsets(names: Sequence[str], arguments: Arguments) -> Iterator[Variation]:
    wanted = [
        k for k, each in enumerate(arguments) if isinstance(each, Tensor) and each.requires_grad
    ]
    if len(wanted) < 2:
        return
    for k in wanted:
        name = say("variation.only", name=names[k])
        yield Variation(kind="gradients", name=name, arguments=_requiring(arguments, {k}))
    if len(wanted) > 2:
        for k in wanted:
            name = say("variation.all_but", name=names[k])
            made = _requiring(arguments, set(wanted) - {k})
            yield Variation(kind="gradients", name=name, arguments=made)


def _requiring(arguments: Arguments, chosen: set[int]) -> Arguments:
    return tuple(
        each.detach().clone().requires_grad_(k in chosen) if isinstance(each, Tensor) else each
        for k, each in enumerate(arguments)
    )


def _layouts(names: Sequence[str], arguments: Arguments) -> Iterator[Variation]:
    for layout in (*NON_OVERLAPPING[:2], EXPANDED[0]):
        for k, each in enumerate(arguments):
            if is_continuous(each) and layout.fits(each.shape):
                name = say(f"variation.{layout.code}", name=names[k])
                yield _laid(layout, name, arguments, k)


def _laid(layout: MemoryLayout, name: str, arguments: Arguments, k: int) -> Variation:
    given: Tensor = arguments[k]
    values = layout.repeated(given.detach())
    placed, _ = layout.placed(values, RandomTensors(4))
    dense = values.clone(memory_format=torch.contiguous_format)
    made, oracle = (
        (*arguments[:k], leaf(each, given), *arguments[k + 1 :]) for each in (placed, dense)
    )
    return Variation(kind="layout", name=name, arguments=made, oracle=oracle)


def _precisions(arguments: Arguments) -> Iterator[Variation]:
    if not any(_is_double(each) for each in arguments):
        return
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        low = tuple(leaf(each.to(dtype), each) if _is_double(each) else each for each in arguments)
        # From the rounded values, so that only the precision of the computation differs.
        wide = (
            leaf(each.detach().double(), given) if _is_double(given) else each
            for each, given in zip(low, arguments, strict=True)
        )
        name = str(dtype).removeprefix("torch.")
        telling = dtype is torch.float32  # torch lacks kernels for the others.
        yield Variation(
            kind="precision", name=name, arguments=low, oracle=tuple(wide), is_decisive=telling
        )


def _is_double(value: object) -> bool:
    return isinstance(value, Tensor) and value.dtype is torch.float64


def _complex(arguments: Arguments) -> Iterator[Variation]:
    if not any(_is_double(each) for each in arguments):
        return
    drawn = RandomTensors(5)
    made = tuple(
        leaf(torch.complex(each.detach(), drawn.like(each) * 0.5), each)
        if _is_double(each)
        else each
        for each in arguments
    )
    yield Variation(
        kind="complex", name="complex128", arguments=made, expected=False, is_decisive=False
    )


def _without_dimensions(arguments: Arguments) -> Iterator[Variation]:
    """Zero-dimensional arguments, for functions whose tensors all share one shape."""
    tensors = [each for each in arguments if isinstance(each, Tensor)]
    shapes = {tuple(each.shape) for each in tensors}
    if len(shapes) != 1 or shapes == {()} or tensors[0].numel() == 0:
        return
    made = tuple(
        leaf(each.detach().reshape(-1)[0].clone(), each) if isinstance(each, Tensor) else each
        for each in arguments
    )
    yield Variation(kind="size", name=say("variation.zero_dimensional"), arguments=made)


def _devices(arguments: Arguments) -> Iterator[Variation]:
    tensors = [each for each in arguments if isinstance(each, Tensor)]
    kind = available_accelerator()
    if kind is None or any(each.device.type != "cpu" for each in tensors):
        return
    device = torch.device(kind.type, torch.accelerator.current_device_index())
    if any(map(_is_double, tensors)) and not has_float64(device):
        return
    made = tuple(
        leaf(each.detach().to(device), each) if isinstance(each, Tensor) else each
        for each in arguments
    )
    name = say("variation.device", device=device)
    yield Variation(kind="device", name=name, arguments=made, oracle=arguments)
