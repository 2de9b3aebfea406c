"""What a diagnosis looks at: the two Jacobians of one output with respect to one input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from gradviz.checks.compare import compare
from gradviz.checks.diagnosis.portions import all_close, any_of, has_many, largest, mask_of
from gradviz.checks.listeners import MatrixSink
from gradviz.checks.matrices import matrix_value
from gradviz.model.diagnosis import Confidence, Diagnosis, Repair
from gradviz.model.jacobian import JacobianBlock, WorstElement

Place = tuple[int, int, str]
"""Position of the output, position of the input, and part."""

_FLOOR = 1e-8
"""Differences this small are noise of the central difference."""

_NOISE = 1e-7

_MANY = 6
"""So many different numbers fit nothing by chance."""


class Looks(Protocol):
    """Gives the pairs of the same function under other conditions, by their places."""

    def moved(self) -> Mapping[Place, Pair]:
        """For other values of the inputs; empty where they cannot be had."""

    def mirrored(self) -> Mapping[Place, Pair]:
        """For values of both signs; likewise."""

    def resized(self, size: int) -> Mapping[Place, Pair]:
        """For inputs with one more wherever a size is this one; likewise."""

    def values(self) -> Sequence[tuple[str, Tensor]]:
        """The tensors among the arguments, by name, as they were checked."""

    def uses(self, position: int) -> bool:
        """Whether outputs change where one argument has far other values; True where it raises."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two matrices ``[input elements, output elements]``; in a case they do not agree.

    Attributes:
        sink: Keeps the matrices of repairs.
        order: 1 for the Jacobians of a function, 2 for those of its backward.
        block: Names and shapes.
        worst: The worst element.
        numerical: Of type and device as computed.
        analytical: Likewise.
        atol: Absolute tolerance.
        rtol: Tolerance relative to the numerical value.
        looks: The same pair under other conditions: what holds by chance does not hold there.
    """

    sink: MatrixSink
    order: int
    block: JacobianBlock
    worst: WorstElement
    numerical: Tensor
    analytical: Tensor
    atol: float
    rtol: float
    looks: Looks | None = None

    @property
    def place(self) -> Place:
        """Of its block."""
        return self.block.output, self.block.input, self.block.part

    @property
    def moved(self) -> tuple[Pair, ...]:
        """The same pair for other values of the inputs; empty where it cannot be had."""
        found = None if self.looks is None else self.looks.moved().get(self.place)
        return () if found is None else (found,)

    def resized(self, size: int) -> tuple[Pair, ...]:
        """The same pair with one more wherever a size is this one; likewise."""
        found = None if self.looks is None else self.looks.resized(size).get(self.place)
        return () if found is None else (found,)

    @property
    def values(self) -> Sequence[tuple[str, Tensor]]:
        """The tensors among the arguments, by name; empty where they cannot be had."""
        return () if self.looks is None else self.looks.values()

    @property
    def input_name(self) -> str:
        """For sentences."""
        return self.block.input_name

    @property
    def output_name(self) -> str:
        """For sentences."""
        return self.block.output_name

    @property
    def input_shape(self) -> tuple[int, ...]:
        """Sizes of the input."""
        return self.block.input_shape

    @property
    def output_shape(self) -> tuple[int, ...]:
        """Sizes of the output."""
        return self.block.output_shape

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the input and then of the output: both matrices can be viewed so."""
        return (*self.input_shape, *self.output_shape)

    @property
    def numerical_is_zero(self) -> bool:
        """Whether moving the input changes not a bit of the output."""
        return not any_of(self.numerical)

    @property
    def analytical_is_zero(self) -> bool:
        """Whether backward gives nothing."""
        return not any_of(self.analytical)

    def agree(self, analytical: Tensor, numerical: Tensor) -> bool:
        """Whether each of some analytical numbers agrees with its numerical one."""
        return all_close(analytical, numerical, atol=self.atol, rtol=self.rtol)

    def is_same(self, analytical: Tensor, numerical: Tensor) -> bool:
        """As `agree`, but small numbers are not taken for equal because all of them are small."""
        if analytical.shape != numerical.shape:
            return False
        atol = min(self.atol, max(self.rtol * largest(numerical), _FLOOR))
        return all_close(analytical, numerical, atol=atol, rtol=self.rtol)

    def support(self, matrix: Tensor) -> Tensor:
        """Which numbers are more than noise beside the largest numerical one."""
        noise = _NOISE * largest(self.numerical)
        return mask_of(lambda each: each.abs() > noise, matrix)

    def confidence(self, holds: Callable[[Pair], bool]) -> Confidence | None:
        """How sure something is that is to hold here, and for other values of the inputs as well.

        Returns:
            None where it does not hold; ``likely`` where it does but few numbers say so, and other
            values cannot be had.
        """
        if not holds(self):
            return None
        others = [each for each in (*self.moved, *self._mirrored()) if not each.says_nothing()]
        if others:
            return "certain" if all(map(holds, others)) else None
        return "certain" if has_many(self.numerical, _MANY) else "likely"

    def _mirrored(self) -> tuple[Pair, ...]:
        found = None if self.looks is None else self.looks.mirrored().get(self.place)
        return () if found is None else (found,)

    def says_nothing(self) -> bool:
        """Whether neither matrix has anything but zeros, as that of a ReLU that lets nothing by."""
        return self.numerical_is_zero and self.analytical_is_zero

    def repair(self, message: str, matrix: Tensor) -> Repair:
        """A repair that was tried, and how much it leaves wrong.

        Args:
            message: What was done, in one sentence, and what came of it.
            matrix: The analytical Jacobian after it, of the shape of the one before.
        """
        matrix = matrix.contiguous()
        left = compare(
            matrix,
            self.numerical,
            atol=self.atol,
            rtol=self.rtol,
            input_shape=self.input_shape,
            output_shape=self.output_shape,
        )
        number = self.sink.store(matrix_value(matrix))
        return Repair(message=message, matrix=number, wrong=left.wrong)

    def diagnosis(
        self,
        code: str,
        message: str,
        *,
        confidence: Confidence = "certain",
        evidence: tuple[str, ...] = (),
        repair: Repair | None = None,
    ) -> Diagnosis:
        """A diagnosis of this pair."""
        return Diagnosis(
            code=code,
            message=message,
            output=self.block.output,
            input=self.block.input,
            part=self.block.part,
            confidence=confidence,
            evidence=evidence,
            repair=repair,
        )
