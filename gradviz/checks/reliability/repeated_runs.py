"""A few runs of a function in an order that gradcheck never uses, to see what they change.

The order is: forward, backward, the same backward again, forward with other values, the first
forward again, forward with other values, and the backward of the one before that. A correct
function gives the same results each time.

Distance between two results of the same computation, with an allowance for rounding.

Seeded runs of a checked function and its backward, with its own or other arguments.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
import torch
from msgspec import Struct, field
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.arguments import CheckSubject, restore_arguments
from gradviz.checks.backward_function import differentiable, nodes_of
from gradviz.checks.jacobians.matrices import byte_view
from gradviz.checks.names import callable_of
from gradviz.checks.output_parts import as_tuple
from gradviz.checks.problem_messages import UserCodeAttempt
from gradviz.checks.random_tensors import RandomTensors, same_random_state
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.progress import Evaluations
from gradviz.recorder.accelerators import accelerator_in_use
from gradviz.recorder.compat import BackwardNode, gradients_of
from gradviz.recorder.patching.signals import calls_user_code

_ROUNDINGS = 1e3
"""Up to this many roundings of the largest value may come from another order of the same sums."""

OptionalTensors = Sequence[Tensor | None]


def same_bits(one: Tensor, other: Tensor) -> bool:
    """Whether two dense tensors have the same shape, dtype and bits."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.is_meta or other.is_meta:
        return one.device == other.device  # Neither has bits.
    if one.is_quantized:
        # Torch crashes when it compares a view of these as bytes.
        one, other = one.int_repr(), other.int_repr()
    return torch.equal(byte_view(one), byte_view(other))


def distance_beyond_rounding(
    ones: OptionalTensors, others: OptionalTensors, allowed: float = 0.0
) -> float:
    """Largest difference that exceeds both rounding and ``allowed``; 0 if there is none.

    Inf if count, shapes or dtypes differ.
    """
    if len(ones) != len(others):
        return float("inf")
    found = ((_difference(one, other), one) for one, other in zip(ones, others, strict=True))
    return max((by for by, value in found if by > max(allowed, _noise(value))), default=0.0)


def _difference(one: Tensor | None, other: Tensor | None) -> float:
    if one is None or other is None:
        present = one if other is None else other
        # None counts as zeros.
        return 0.0 if present is None else _largest(present)
    if one.shape != other.shape or one.dtype != other.dtype:
        return float("inf")
    one, other = _wide(one), _wide(other)
    if one.numel() == 0 or torch.equal(one, other):
        return 0.0
    gap = torch.where(_alike(one, other), torch.zeros_like(one), one - other)
    return _largest(torch.where(gap.isnan(), torch.full_like(gap, float("inf")), gap))


def _wide(value: Tensor) -> Tensor:
    """Copy to the CPU, where every dtype has one that torch can compare."""
    return value.cpu().to(torch.complex128 if value.is_complex() else torch.float64)


def _alike(one: Tensor, other: Tensor) -> Tensor:
    return (one == other) | (one.isnan() & other.isnan())


def _largest(value: Tensor) -> float:
    return float(_wide(value).abs().max()) if value.numel() else 0.0


def _noise(value: Tensor | None) -> float:
    if value is None or value.numel() == 0 or not (value.is_floating_point() or value.is_complex()):
        return 0.0
    finite = _wide(value).abs().nan_to_num(0.0, 0.0, 0.0)
    return _ROUNDINGS * torch.finfo(value.dtype).eps * float(finite.max())


def seed_random_generators(seed: int) -> None:
    """Seed the generators of torch, NumPy and Python."""
    # torch.manual_seed would leave a pending seed behind for an accelerator not in use yet.
    (torch.manual_seed if accelerator_in_use() else torch.default_generator.manual_seed)(seed)
    random.seed(seed)
    np.random.seed(seed)


@contextmanager
def seeded_runs(subject: CheckSubject, evaluations: Evaluations) -> Iterator[SeededRuns]:
    """Yield a `SeededRuns`, and restore the random generators on exit."""
    with same_random_state():
        yield SeededRuns(subject, evaluations)


class SeededRuns:
    """Runs of a subject that are counted; exceptions propagate to the caller.

    Each run seeds the random generators; see `seeded_runs`.
    """

    def __init__(self, subject: CheckSubject, evaluations: Evaluations) -> None:
        self._subject = subject
        self._evaluations = evaluations
        self._call = callable_of(subject.function)
        self._incoming: list[Tensor] = []

    @calls_user_code
    def forward(self, seed: int, arguments: Sequence[Any] | None = None) -> tuple[Any, ...]:
        """Outputs for the given arguments; those of the subject by default."""
        self._evaluations.begin()
        chosen = self._subject.arguments if arguments is None else arguments
        seed_random_generators(seed)
        with warnings.catch_warnings():
            # The check itself has shown these warnings already.
            warnings.simplefilter("ignore")
            return as_tuple(self._call(*chosen))

    @calls_user_code
    def backward(self, outputs: tuple[Any, ...], seed: int) -> tuple[Tensor | None, ...]:
        """Gradients of the inputs for random incoming gradients, the same in every call."""
        self._evaluations.begin()
        chosen = [value for _, value in differentiable(outputs)]
        if not self._incoming:
            self._incoming = [RandomTensors(k).like(value) for k, value in enumerate(chosen)]
        # Cloned, because backward may write to its incoming gradient.
        incoming = [each.clone() for each in self._incoming]
        seed_random_generators(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = gradients_of(chosen, self._subject.tensors, incoming, retain_graph=True)
        return tuple(None if each is None else each.detach().to_dense().clone() for each in found)


def values_of(outputs: tuple[Any, ...]) -> list[Tensor]:
    """Copies of the differentiable outputs without history."""
    return [value.detach().to_dense().clone() for _, value in differentiable(outputs)]


def other_arguments(arguments: Sequence[Any], factor: float) -> list[Any]:
    """Copies of the arguments with other values in all floating-point and complex tensors.

    Args:
        arguments: Arguments of the function.
        factor: Factor of the values. With 0.75 they usually stay where the function is defined;
            with -0.75, signs and order change too.
    """
    return [_other(each, factor) for each in arguments]


def _other(argument: Any, factor: float) -> Any:
    if not isinstance(argument, Tensor):
        return argument
    copy = argument.detach().clone()
    if copy.is_floating_point() or copy.is_complex():
        # A zero would stay the same.
        copy = copy * factor + 0.25 * (copy == 0)
    return copy.requires_grad_(argument.requires_grad)


class TensorCopy(Struct, frozen=True):
    """A tensor and its values at one time."""

    name: str
    tensor: Tensor
    before: Tensor


class ChangedTensor(Struct, frozen=True):
    """A tensor whose values have changed."""

    name: str
    tensor: Tensor
    before: Tensor
    after: Tensor


def find_changed_tensors(kept: Sequence[TensorCopy]) -> list[ChangedTensor]:
    """The tensors that have changed since; for shared memory only the last one."""
    found = {
        (each.tensor.data_ptr(), each.tensor.shape): ChangedTensor(
            each.name, each.tensor, each.before, each.tensor.detach().clone()
        )
        for each in kept
        if not same_bits(each.tensor.detach(), each.before)
    }
    return list(found.values())


def copy_arguments(arguments: Sequence[Any], names: Sequence[str]) -> list[TensorCopy]:
    """Snapshots of the dense tensors among the arguments."""
    return [kept for name, each in zip(names, arguments, strict=True) for kept in _kept(name, each)]


def copy_saved_tensors(outputs: Sequence[Tensor]) -> list[TensorCopy]:
    """Snapshots of saved tensors and ctx tensors of all custom Functions behind outputs."""
    return [
        kept
        for node in nodes_of(outputs)
        if isinstance(node, BackwardNode)
        for name, each in _of_node(node)
        for kept in _kept(name, each)
    ]


@calls_user_code
def _of_node(node: Any) -> Iterator[tuple[str, Any]]:
    for k, each in enumerate(node.saved_tensors):
        yield say("name.saved_of", number=k, function=_title(node)), each
    for key, each in vars(node).items():
        yield say("name.ctx_of", attribute=key, function=_title(node)), each


def _title(node: Any) -> str:
    cls = getattr(type(node), "_forward_cls", None)
    return getattr(cls, "__name__", "") or say("name.a_function")


def _kept(name: str, value: Any) -> Iterator[TensorCopy]:
    if isinstance(value, Tensor) and value.layout is torch.strided:
        yield TensorCopy(name, value, value.detach().clone())
    elif isinstance(value, list | tuple):
        for k, each in enumerate(value):
            yield from _kept(f"{name}[{k}]", each)


FORWARDS, BACKWARDS = 4, 3
"""How often a function is run if nothing is wrong."""

_MORE = 8
"""Additional backward passes if gradcheck's own two differ, because a few may agree by chance."""


RunStage = Literal["forward", "backward", "second_backward", "second_forward", "later_backward"]


class RepeatedRuns(Struct, kw_only=True):
    """What these runs showed.

    Attributes:
        damaged_by_forward: Arguments that forward changed.
        damaged_by_backward: Arguments, outputs and saved tensors that backward changed; saved ones
            only if a second backward of the same forward then gave other results.
        error: The first exception; None if there was none.
        stage: The run that raised it; the last run if none did.
        output_distance: Distance between two identical forward calls with different seeds.
        repeated_backward_distance: Distance between two backward passes of one forward with
            different seeds.
        fresh_backward_distance: Distance between the backward passes of two identical forward
            calls, with a forward of other values before the second.
        is_stuck: Whether forward returned exactly the same outputs for other values.
        outputs: Outputs of the first forward, if known.
    """

    damaged_by_forward: list[ChangedTensor] = field(default_factory=list)
    damaged_by_backward: list[ChangedTensor] = field(default_factory=list)
    error: Exception | None = None
    stage: RunStage = "forward"
    output_distance: float = 0.0
    repeated_backward_distance: float = 0.0
    fresh_backward_distance: float = 0.0
    is_stuck: bool = False
    outputs: list[Tensor] = field(default_factory=list)

    @property
    def differs(self) -> bool:
        """Whether identical runs gave different results."""
        return (
            max(self.output_distance, self.repeated_backward_distance, self.fresh_backward_distance)
            > 0
        )

    @property
    def is_uneventful(self) -> bool:
        """Whether nothing was wrong in any run."""
        damaged = self.damaged_by_forward or self.damaged_by_backward
        return not damaged and self.error is None and not self.differs


def run_repeatedly(case: CheckContext) -> RepeatedRuns:
    """Run the function of a case; its arguments keep their values."""
    seen = RepeatedRuns()
    with (
        UserCodeAttempt() as attempt,
        restore_arguments(case.subject.arguments),
        seeded_runs(case.subject, case.evaluations) as runs,
    ):
        _runs(case, runs, seen)
    seen.error = attempt.error
    return seen


def _runs(case: CheckContext, runs: SeededRuns, seen: RepeatedRuns) -> None:
    subject, allowed = case.subject, case.settings.nondet_tol
    seen.stage = "forward"
    arguments = copy_arguments(subject.arguments, subject.names)
    outputs = runs.forward(1)
    seen.damaged_by_forward = [
        each
        for each in find_changed_tensors(arguments)
        # Torch requires dirty ones to be returned.
        if not any(output is each.tensor for output in outputs)
    ]
    values = values_of(outputs)
    if seen.damaged_by_forward or not values:
        return
    seen.stage = "backward"
    kept = [*copy_saved_tensors([each for each in outputs if _has_history(each)]), *arguments]
    first = runs.backward(outputs, 1)
    changed = find_changed_tensors(kept)
    if changed:
        # Scratch memory on ctx, which each backward writes before it reads it, is harmless.
        with UserCodeAttempt() as attempt:
            seen.repeated_backward_distance = distance_beyond_rounding(
                first, runs.backward(outputs, 1), allowed
            )
        is_needed = attempt.error is not None or seen.repeated_backward_distance > 0
        visible = [*map(_memory, _tensors((*subject.arguments, *outputs)))]
        seen.damaged_by_backward = [
            each
            for each in changed
            if is_needed or any(_meet(_memory(each.tensor), one) for one in visible)
        ]
        if seen.damaged_by_backward:
            return
    seen.stage = "second_backward"
    differs = any(each.code == "nondeterministic" for each in case.findings.problems)
    seeds = range(2, 3 + (_MORE if differs else 0))
    seen.repeated_backward_distance = max(
        distance_beyond_rounding(first, runs.backward(outputs, seed), allowed) for seed in seeds
    )
    other = other_forward(case, runs)
    seen.stage = "second_forward"
    equal = runs.forward(2)
    again = values_of(equal)
    # A smaller difference of the outputs moves a quotient by less than atol / 2.
    seen.output_distance = distance_beyond_rounding(
        values, again, case.settings.eps * case.settings.atol
    )
    seen.outputs = values
    alike = bool(other) and len(other) == len(again)
    seen.is_stuck = alike and all(map(same_bits, again, other))
    other_forward(case, runs)
    seen.stage = "later_backward"
    seen.fresh_backward_distance = distance_beyond_rounding(first, runs.backward(equal, 2), allowed)


def _memory(tensor: Tensor) -> range:
    """The addresses from a tensor's first byte to its last one; empty if it has no elements."""
    if not tensor.numel() or tensor.layout is not torch.strided:
        return range(0)
    steps = zip(tensor.shape, tensor.stride(), strict=True)
    count = 1 + sum((size - 1) * stride for size, stride in steps)
    return range(tensor.data_ptr(), tensor.data_ptr() + count * tensor.element_size())


def _meet(one: range, other: range) -> bool:
    return max(one.start, other.start) < min(one.stop, other.stop)


def other_forward(case: CheckContext, runs: SeededRuns) -> list[Tensor]:
    """Outputs for other values of the arguments; empty if forward does not accept them."""
    # Negative values may be outside the domain, as for sqrt and log.
    for factor in (-0.75, 0.75):
        with UserCodeAttempt():
            return values_of(runs.forward(3, other_arguments(case.subject.arguments, factor)))
    return []


def _tensors(values: Sequence[Any]) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor) and value.layout is torch.strided:
            yield value
        elif isinstance(value, list | tuple):
            yield from _tensors(value)


def _has_history(value: Any) -> bool:
    return isinstance(value, Tensor) and value.grad_fn is not None
