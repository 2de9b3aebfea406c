"""Products of the derivative of forward with random gradients, with and without changed calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from msgspec import Struct
from torch import Tensor
from torch.overrides import TorchFunctionMode

from gradviz.checks.diagnosis.investigations.factor import sizes_of
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair, PairKey
from gradviz.checks.diagnosis.support.perturbed_rerun import gradients_like, to_dense_gradients
from gradviz.checks.output_parts import as_tuple
from gradviz.checks.problem_messages import Attempt
from gradviz.checks.reference.changed_derivative import (
    CallNumber,
    ChangedDerivativeMode,
    DerivativeChange,
    ForwardCall,
)
from gradviz.checks.reference.held_constant import WithoutDetachMode
from gradviz.checks.run.context import CheckContext
from gradviz.recorder.compat import gradients_of

SAME = 1e-7
"""Tolerance relative to the largest value: neither side comes from finite differences."""

SEEDS = (1, 2, 3)


class ValueSource(Struct, frozen=True):
    """Where another value for an operand comes from.

    Attributes:
        key: The call.
        place: Its operand or result.
        shift: How many executions of the line later.
    """

    key: tuple[object, ...]
    place: int
    shift: int


class CallChange(Struct, frozen=True):
    """A change of some executions of one call; it has no value, so that it fits any arguments."""

    key: tuple[object, ...]
    which: slice
    change: DerivativeChange
    source: ValueSource | None = None


class ReplayBench:
    """Products at one point of the derivative of forward, run under modes that change it.

    Args:
        case: The case.
        replay: The checked function with its forward visible to autograd.
        arguments: The point.
        pairs: The pairs at this point, all of one output.
    """

    def __init__(
        self,
        case: CheckContext,
        replay: Callable[..., Any],
        arguments: Sequence[Any],
        pairs: Sequence[JacobianPair],
    ) -> None:
        self._case, self._replay, self._arguments = case, replay, arguments
        self._pairs = pairs
        self._targets = [arguments[pair.block.input] for pair in pairs]
        self.wanted = {
            seed: [_product(pair, pair.analytical, seed) for pair in pairs] for seed in SEEDS
        }
        self._sizes = [
            float(torch.linalg.vector_norm(pair.numerical, 1, dim=1).max()) for pair in pairs
        ]

    def run(self, mode: TorchFunctionMode, seed: int = 1) -> list[Tensor] | None:
        """The gradient of each input for a random one of the output; None if the mode fails."""
        case = self._case
        case.evaluations.expect(1)
        case.evaluations.begin()
        found: Sequence[Tensor | None] | None = None
        with Attempt():  # A change may not fit.
            with mode, WithoutDetachMode():
                outputs = as_tuple(self._replay(*self._arguments))
            output = outputs[self._pairs[0].block.output]
            vector = gradients_like(output, seed)
            found = gradients_of([output], self._targets, [vector])
        if found is None:
            return None
        return [each.reshape(-1).cpu() for each in to_dense_gradients(found, self._targets)]

    def is_faithful(self, whole: Sequence[Tensor] | None) -> bool:
        """Whether an unchanged run has the numerical derivative; else changes prove nothing."""
        found = (_product(pair, pair.numerical, 1) for pair in self._pairs)
        return whole is not None and all(
            is_near(one, two, 1e-4 * size)
            for one, two, size in zip(whole, found, self._sizes, strict=True)
        )

    def agreeing(self, found: Sequence[Tensor] | None, seed: int = 1) -> frozenset[PairKey]:
        """The places of the pairs whose backward gives the products found for a seed."""
        if found is None:
            return frozenset()
        each = zip(self._pairs, found, self.wanted[seed], self._sizes, strict=True)
        return frozenset(
            pair.place for pair, one, wanted, size in each if is_near(one, wanted, SAME * size)
        )


class DerivativeBench(ReplayBench):
    """A bench whose runs differentiate some calls in another way; arguments as `ReplayBench`."""

    def __init__(
        self,
        case: CheckContext,
        replay: Callable[..., Any],
        arguments: Sequence[Any],
        pairs: Sequence[JacobianPair],
    ) -> None:
        super().__init__(case, replay, arguments, pairs)
        mode = ChangedDerivativeMode()
        self.whole = self.run(mode)
        self.calls: dict[tuple[object, ...], list[ForwardCall]] = {}
        for call in mode.calls:
            self.calls.setdefault(call.key, []).append(call)

    def matching(self, tried: CallChange, seed: int = 1) -> frozenset[PairKey]:
        """The places of the pairs whose backward is the derivative with a change."""
        return self.agreeing(self.products(tried, seed), seed)

    def products(self, tried: CallChange, seed: int = 1) -> list[Tensor] | None:
        """The products with a change; None if it fails."""
        numbered = self._numbered(tried)
        return self.run(ChangedDerivativeMode(numbered), seed) if numbered else None

    def _numbered(self, tried: CallChange) -> dict[CallNumber, DerivativeChange]:
        calls = self.calls.get(tried.key, [])
        chosen = range(len(calls))[tried.which]
        if tried.source is None:
            return {calls[k].number: tried.change for k in chosen}
        made = {}
        for k in chosen:
            value = self.value(tried.source, k)
            if value is not None and _fits(value, calls[k].values[tried.change.place]):
                made[calls[k].number] = DerivativeChange("use", tried.change.place, value=value)
        return made

    def value(self, source: ValueSource, execution: int) -> Tensor | None:
        """The value for one execution; None if there is none."""
        offered = self.calls.get(source.key, [])
        k = 0 if len(offered) == 1 else execution + source.shift
        return offered[k].values.get(source.place) if 0 <= k < len(offered) else None

    def sources(self) -> Iterator[ValueSource]:
        """Each distinct operand and result."""
        seen: set[object] = set()
        for key, calls in self.calls.items():
            for place in calls[0].values:
                which = tuple(_identity(each.values.get(place)) for each in calls)
                if which not in seen:
                    seen.add(which)
                    yield from (
                        ValueSource(key, place, shift)
                        for shift in ((0, -1, 1) if len(calls) > 1 else (0,))
                    )


def _product(pair: JacobianPair, matrix: Tensor, seed: int) -> Tensor:
    return matrix @ gradients_like(matrix.new_empty(pair.output_shape), seed).reshape(-1)


def _identity(value: Tensor | None) -> object:
    return None if value is None else (value.data_ptr(), tuple(value.shape), value.stride())


def _fits(value: Tensor, to: Tensor) -> bool:
    return value.shape == to.shape and value.dtype == to.dtype and _identity(value) != _identity(to)


def is_near(one: Tensor, other: Tensor, allowed: float) -> bool:
    """Whether two products are equal up to an absolute error."""
    return one.shape == other.shape and bool(((one - other).abs() <= allowed).all())


def benches(
    case: CheckContext, replay: Callable[..., Any], pairs: Sequence[JacobianPair]
) -> tuple[DerivativeBench, list[DerivativeBench]]:
    """The bench at the given point, and those elsewhere: other values, signs and a larger size."""
    here = DerivativeBench(case, replay, case.subject.arguments, pairs)
    reruns, size = pairs[0].reruns, next(sizes_of(case), None)
    elsewhere = [
        DerivativeBench(case, replay, arguments, [others[each.place] for each in pairs])
        for others, arguments in (() if reruns is None else reruns.points(size))
        if all(pair.place in others for pair in pairs)
    ]
    return here, elsewhere
