"""Two Jacobians of one output with respect to one input, as seen by a diagnosis.

Whether they differ by a factor, and by which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import torch
from msgspec import Struct
from msgspec.structs import replace
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.chunks import all_close, any_of, has_many, largest, mask_of
from gradviz.checks.diagnosis.support.rule import diagnosed
from gradviz.checks.jacobians.matrices import MatrixComparison, compare, matrix_value
from gradviz.checks.run.progress import MatrixSink
from gradviz.model.diagnosis import BlockPart, BlockPlace, Confidence, Diagnosis, Repair
from gradviz.model.jacobian_report import JacobianBlock, WorstElement

T = TypeVar("T")


def split_shapes(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The shape itself, then each with one dimension split in two, as in ``x.repeat(3)``."""
    yield shape
    for k, size in enumerate(shape):
        for one in range(2, size // 2 + 1):
            if size % one == 0:
                yield (*shape[:k], one, size // one, *shape[k + 1 :])


def common_place(pairs: Sequence[JacobianPair]) -> BlockPlace:
    """What a diagnosis of several pairs is about: what they have in common."""
    outputs, inputs, parts = zip(*(pair.place for pair in pairs), strict=True)
    part = pairs[0].block.part if len(set(parts)) == 1 else ""
    output = outputs[0] if len({*zip(outputs, parts, strict=True)}) == 1 else None
    return output, inputs[0] if len(set(inputs)) == 1 else None, part


class Cause(Struct, frozen=True):
    """Code and sentence of a diagnosis; not sure if something in it was guessed."""

    code: str
    message: str
    is_sure: bool = True

    def diagnosis(
        self,
        pairs: Sequence[JacobianPair],
        *,
        moved: bool,
        evidence: Sequence[str],
        repair: Repair | None = None,
    ) -> Diagnosis:
        """The diagnosis of the pairs that this explains.

        Args:
            pairs: The pairs.
            moved: Whether other input values have confirmed it.
            evidence: Sentences on what else supports it.
            repair: A correction that was tried.
        """
        confirmed = (say("diagnosis.moved"),) if moved else ()
        return diagnosed(
            self.code,
            self.message,
            about=common_place(pairs),
            confidence="certain" if moved and self.is_sure else "likely",
            evidence=(*evidence, *confirmed),
            repair=repair,
        )


PairKey = tuple[int, int, BlockPart]
"""Position of the output, position of the input, and part."""

_FLOOR = 1e-8
"""Differences this small are noise of central differences."""

_NOISE = 1e-7

_MANY = 6
"""This many distinct values do not fit a pattern by chance."""


class PairReruns(Protocol):
    """Provider of the pairs of the same function under other conditions, by their places."""

    def moved(self) -> Mapping[PairKey, JacobianPair]:
        """Pairs for other input values; empty if they cannot be computed."""

    def moved_arguments(self) -> tuple[Any, ...] | None:
        """Arguments of the moved pairs; None if there are none."""

    def points(
        self, size: int | None
    ) -> Iterator[tuple[Mapping[PairKey, JacobianPair], tuple[Any, ...]]]:
        """Pairs and arguments elsewhere: other values, other signs, and a larger size."""

    def mirrored(self) -> Mapping[PairKey, JacobianPair]:
        """Pairs for input values of both signs; empty if they cannot be computed."""

    def reordered(self) -> Mapping[PairKey, JacobianPair]:
        """Pairs for the values of each input in reverse order; empty if impossible."""

    def resized(self, size: int, by: int = 1) -> Mapping[PairKey, JacobianPair]:
        """Pairs with ``by`` added to every size equal to ``size``; empty if impossible."""

    def values(self) -> Sequence[tuple[str, Tensor]]:
        """Tensors among the checked arguments, with their names."""

    def uses(self, position: int, output: int) -> bool:
        """Whether a distant value of one argument changes an output; True if this raises."""

    def operations(self) -> frozenset[str]:
        """Names of the operations that custom backwards call; empty if backward raises."""


class JacobianPair(Struct, frozen=True, kw_only=True):
    """Two matrices ``[input elements, output elements]``; the pairs of a case do not agree.

    Attributes:
        sink: Stores the matrices of repairs.
        order: 1 for the Jacobians of a function, 2 for those of its backward.
        block: Names and shapes.
        worst: The worst element.
        numerical: Numerical Jacobian, with the dtype it was computed with, on the CPU.
        analytical: Analytical Jacobian, with the dtype it was computed with, on the CPU.
        atol: Absolute tolerance.
        rtol: Tolerance relative to the numerical value.
        reruns: The same pair under other conditions, which rule out coincidences.
        divisor: What the analytical values of the reruns are divided by.
    """

    sink: MatrixSink
    order: int
    block: JacobianBlock
    worst: WorstElement
    numerical: Tensor
    analytical: Tensor
    atol: float
    rtol: float
    reruns: PairReruns | None = None
    divisor: float = 1.0

    @property
    def place(self) -> PairKey:
        """Output, input and part that the pair belongs to."""
        return self.block.output, self.block.input, self.block.part

    @property
    def moved(self) -> tuple[JacobianPair, ...]:
        """The same pair for other input values; empty if it cannot be computed."""
        return () if self.reruns is None else self._among(self.reruns.moved())

    @property
    def reordered(self) -> tuple[JacobianPair, ...]:
        """The same pair for the input's values in reverse order; empty if impossible."""
        return () if self.reruns is None else self._among(self.reruns.reordered())

    def resized(self, size: int, by: int = 1) -> tuple[JacobianPair, ...]:
        """The same pair with ``by`` added to every size equal to ``size``; empty if impossible."""
        return () if self.reruns is None else self._among(self.reruns.resized(size, by))

    @property
    def values(self) -> Sequence[tuple[str, Tensor]]:
        """Tensors among the arguments, with their names; empty if they are unknown."""
        return () if self.reruns is None else self.reruns.values()

    @property
    def operations(self) -> frozenset[str]:
        """Names of the operations that custom backwards call; empty if they are unknown."""
        return frozenset() if self.reruns is None else self.reruns.operations()

    @property
    def input_name(self) -> str:
        """Name of the input in sentences."""
        return self.block.input_name

    @property
    def output_name(self) -> str:
        """Name of the output in sentences."""
        return self.block.output_name

    @property
    def input_shape(self) -> tuple[int, ...]:
        """Shape of the input."""
        return self.block.input_shape

    @property
    def output_shape(self) -> tuple[int, ...]:
        """Shape of the output."""
        return self.block.output_shape

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the input followed by that of the output; a view of both matrices."""
        return (*self.input_shape, *self.output_shape)

    @property
    def numerical_is_zero(self) -> bool:
        """Whether moving the input does not change a single bit of the output.

        False in half precision, where the input itself may round the step away.
        """
        return not self.is_half and not any_of(self.numerical)

    @property
    def is_half(self) -> bool:
        """Whether it was measured in half precision, where a numerical 0 may mean nothing."""
        return self.numerical.dtype in (torch.float16, torch.bfloat16)

    @property
    def analytical_is_zero(self) -> bool:
        """Whether backward returns nothing but zeros."""
        return not any_of(self.analytical)

    def agree(self, analytical: Tensor, numerical: Tensor) -> bool:
        """Whether all given analytical values agree with their numerical ones."""
        return all_close(analytical, numerical, atol=self.atol, rtol=self.rtol)

    def is_same(self, analytical: Tensor, numerical: Tensor) -> bool:
        """Like `agree`, but values do not count as equal merely because all of them are small."""
        if analytical.shape != numerical.shape:
            return False
        atol = min(self.atol, max(self.rtol * largest(numerical), _FLOOR))
        return all_close(analytical, numerical, atol=atol, rtol=self.rtol)

    def support(self, matrix: Tensor) -> Tensor:
        """Mask of the values that exceed noise, compared with the largest numerical one."""
        noise = _NOISE * largest(self.numerical)
        return mask_of(lambda each: each.abs() > noise, matrix)

    def confidence(self, holds: Callable[..., bool], *what: object) -> Confidence | None:
        """Test a property on this pair and on the same pair for other input values.

        Args:
            holds: Takes a pair, and what follows.
            what: Which property it is.

        Returns:
            None if it does not hold; ``likely`` if it holds, but few values show it and no other
            input values can confirm it; else ``certain``.
        """
        if not holds(self, *what):
            return None
        # Two matrices of zeros have almost every property, so they confirm nothing.
        others = [each for each in (*self.moved, *self._mirrored()) if not each.both_are_zero()]
        if others:
            return "certain" if all(holds(each, *what) for each in others) else None
        return "certain" if has_many(self.numerical, _MANY) else "likely"

    def first_lasting(
        self, candidates: Iterable[T], holds: Callable[[JacobianPair, T], bool]
    ) -> tuple[T, Confidence] | None:
        """The first of some properties that the pair has, and `confidence` in it."""
        for each in candidates:
            if confidence := self.confidence(holds, each):
                return each, confidence
        return None

    def _mirrored(self) -> tuple[JacobianPair, ...]:
        return () if self.reruns is None else self._among(self.reruns.mirrored())

    def _among(self, pairs: Mapping[PairKey, JacobianPair]) -> tuple[JacobianPair, ...]:
        found = pairs.get(self.place)
        return () if found is None else (found.divided(self.divisor),)

    def divided(self, factor: float) -> JacobianPair:
        """The pair, here and under other conditions, with its analytical values divided."""
        if factor == 1:
            return self
        return replace(self, analytical=self.analytical / factor, divisor=self.divisor * factor)

    def both_are_zero(self) -> bool:
        """Whether both matrices contain only zeros, as for a ReLU of negative inputs."""
        return self.numerical_is_zero and self.analytical_is_zero

    def repair(self, message: str, matrix: Tensor) -> Repair:
        """Store a repair that was tried, with the number of elements that are still wrong.

        Args:
            message: What to do, as one imperative sentence.
            matrix: Analytical Jacobian after the repair, of unchanged shape.
        """
        matrix = matrix.contiguous()
        number = self.sink.store(matrix_value(matrix))
        left = replace(self, analytical=matrix).compared().wrong
        return Repair(message=message, matrix=number, wrong=left)

    def compared(self) -> MatrixComparison:
        """The comparison of both matrices."""
        shapes = self.input_shape, self.output_shape
        return compare(self.analytical, self.numerical, (self.atol, self.rtol), *shapes)

    def diagnosis(
        self,
        key: str,
        message: str | None = None,
        *,
        confidence: Confidence = "certain",
        evidence: tuple[str, ...] = (),
        repair: Repair | None = None,
        **values: object,
    ) -> Diagnosis:
        """As `diagnosed`, about this pair; the sentence also gets the names of both."""
        names = {"input": self.input_name, "output": self.output_name}
        return diagnosed(
            key,
            message,
            about=self.block.place,
            confidence=confidence,
            evidence=evidence,
            repair=repair,
            **(names | values),
        )


_NOTHING = 1e-7
"""A numerical Jacobian is only noise if its largest value is not above this."""

_NO_FACTOR = 1e-6
_EXACT, _ROUGH = 1e-4, 1e-2


def factor_of(pair: JacobianPair) -> complex | None:
    """The common factor between numerical and analytical values; None if there is none."""
    wide = torch.complex128 if pair.numerical.is_complex() else torch.float64
    analytical, numerical = pair.analytical.to(wide), pair.numerical.to(wide)
    size = float(torch.linalg.vector_norm(numerical)) ** 2
    if not largest(numerical) > _NOTHING or not size < float("inf"):
        return None
    # The factor with the least squared error.
    factor = complex(torch.vdot(numerical.ravel(), analytical.ravel()).item()) / size
    if abs(factor) < _NO_FACTOR or abs(factor - 1) <= pair.rtol:
        return None
    row = pair.worst.row  # Most pairs have no common factor, which one row already shows.
    if not pair.agree(divided(analytical[row], factor), numerical[row]):
        return None
    return factor if pair.is_same(divided(analytical, factor), numerical) else None


def has_factor(pair: JacobianPair, factor: complex) -> bool:
    """Whether all analytical values are the numerical ones times a factor."""
    found = factor_of(pair)
    return found is not None and is_close(pair, found, factor)


def is_close(pair: JacobianPair, one: complex, other: complex) -> bool:
    """Whether two factors are equal, within the precision of a pair's values."""
    exact = pair.numerical.dtype in (torch.float64, torch.complex128)
    return abs(one - other) <= (_EXACT if exact else _ROUGH) * abs(other)


def divided(matrix: Tensor, factor: complex) -> Tensor:
    """A matrix divided by a factor; if the matrix is real, so is the factor."""
    return matrix / (factor if matrix.is_complex() else factor.real)
