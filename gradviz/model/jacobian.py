"""Numerical and analytical Jacobians of a function, and what comparing them showed.

Matrices are ``[input elements, output elements]``, as ``torch.autograd.gradcheck`` has them: the
transpose of what textbooks call the Jacobian. The difference is analytical minus numerical.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gradviz.model.diagnosis import Diagnosis, ErrorCurve, Trial
from gradviz.model.source import Location

Verdict = Literal["match", "mismatch", "error", "incomplete"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstElement:
    """The element with the largest ``|a - n| / (atol + rtol * |n|)``; ties by row, then column.

    Attributes:
        row: Input element, counted in row-major order.
        column: Output element, likewise.
        input_index: The row as an index into the input tensor.
        output_index: The column as an index into the output tensor.
        analytical: Value of the analytical Jacobian there.
        numerical: Value of the numerical Jacobian there.
        excess: The quotient above; over 1 means outside the tolerance. Inf where NaN is involved.
    """

    row: int
    column: int
    input_index: tuple[int, ...]
    output_index: tuple[int, ...]
    analytical: complex
    numerical: complex
    excess: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JacobianBlock:
    """Both Jacobians of one output with respect to one input.

    Attributes:
        output: Position among the function's outputs.
        output_name: ``output`` or ``output 0``; of second order ``grad_x`` and the like.
        output_shape: Sizes of that output.
        input: Position among the function's arguments.
        input_name: Name of the argument.
        input_shape: Sizes of that argument.
        part: ``real`` or ``imag`` where a complex output is checked in two runs; else empty.
        numerical: Tensor of the trace with the matrix ``[input elements, output elements]``.
        analytical: Likewise.
        wrong: Number of elements outside the tolerance.
        worst: None for an empty matrix.
        forward: Likewise, from forward mode; None where that was not asked for.
        forward_wrong: Number of its elements that are outside the tolerance.
        reference: Likewise, autograd's own Jacobian of a plain version of the function; None for
            none.
        spread: Likewise, how far equal backward passes were apart; None where they were not.
        lines: Where the source's ``backward`` makes this gradient, as far as that can be told; the
            last line first.
        reference_wrong: Number of elements of the numerical matrix that are outside the tolerance
            of ``reference``.
    """

    output: int
    output_name: str
    output_shape: tuple[int, ...]
    input: int
    input_name: str
    input_shape: tuple[int, ...]
    part: Literal["", "real", "imag"]
    numerical: int
    analytical: int
    wrong: int
    worst: WorstElement | None
    forward: int | None = None
    forward_wrong: int = 0
    reference: int | None = None
    spread: int | None = None
    lines: tuple[Location, ...] = ()
    reference_wrong: int = 0

    @property
    def matrices(self) -> tuple[int, ...]:
        """All tensors of the trace that belong to it."""
        more = (self.forward, self.reference, self.spread)
        return (self.numerical, self.analytical, *(each for each in more if each is not None))

    @property
    def count(self) -> int:
        """Number of elements of each matrix."""
        size = 1
        for length in (*self.input_shape, *self.output_shape):
            size *= length
        return size


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckProblem:
    """Something other than a differing element that a check found.

    Attributes:
        code: Stable word for programs, like ``nondeterministic`` or ``raised``.
        message: One sentence for people.
        decides: Whether it speaks against the function; False for a hint like ``low_precision``,
            which leaves the verdict as it is.
    """

    code: str
    message: str
    decides: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class JacobianReport:
    """What one check found.

    Attributes:
        id: Number in the trace.
        subject: What was checked, as a title.
        eps: Step of the central difference, in units of the input.
        atol: Absolute tolerance.
        rtol: Tolerance relative to the numerical value.
        nondet_tol: Largest difference between two equal backwards that still counts as equal.
        dtype: Of the checked inputs, without ``torch.``.
        device: Where it was computed.
        blocks: One for each pair of an output and an input that are checked.
        problems: Everything else that was wrong.
        verdict: ``match`` is what ``gradcheck`` calls True.
        evaluations: Number of forward and backward evaluations.
        duration_ns: Wall time.
        order: 1 for ``gradcheck``, of the function; 2 for ``gradgradcheck``, of its backward.
        diagnoses: What is wrong, the surest and most telling first; never empty once a check has
            ended by itself.
        cast_from: The dtypes of the inputs before they were cast; empty if they were not.
        forward_mode: Whether forward mode was compared.
        batched: Whether batched gradients were compared.
        fast: Whether products with random vectors were compared first; pairs in which
            nothing seemed wrong have no block then.
        reference: Title of the plain version that was differentiated; empty for none.
        curves: How differences depend on the step, where that was tried.
        trials: Other conditions under which the function was tried.
        nudge: How far the inputs were moved before; 0 if they were not.
        unfinished: Pairs that were being computed when this was written. Their matrices hold what
            there was: the first rows of the numerical, the first columns of the analytical one,
            and nothing was compared.
    """

    id: int
    subject: str
    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    dtype: str
    device: str
    blocks: tuple[JacobianBlock, ...]
    problems: tuple[CheckProblem, ...]
    verdict: Verdict
    evaluations: int
    duration_ns: int
    order: int = 1
    diagnoses: tuple[Diagnosis, ...] = ()
    cast_from: str = ""
    forward_mode: bool = False
    batched: bool = False
    fast: bool = False
    reference: str = ""
    curves: tuple[ErrorCurve, ...] = ()
    trials: tuple[Trial, ...] = ()
    nudge: float = 0.0
    unfinished: tuple[JacobianBlock, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether gradcheck agrees and nothing that it cannot see speaks against the function."""
        return self.verdict == "match" and all(each.is_harmless for each in self.diagnoses)

    def diagnoses_of(self, block: JacobianBlock) -> tuple[Diagnosis, ...]:
        """What is said about one pair of output and input."""
        place = (block.output, block.input, block.part)
        return tuple(
            each for each in self.diagnoses if (each.output, each.input, each.part) == place
        )

    def matrices_of(self, block: JacobianBlock) -> tuple[int, ...]:
        """All tensors of the trace that belong to a pair, those of tried repairs included."""
        repairs = (each.repair for each in self.diagnoses_of(block))
        return (*block.matrices, *(each.matrix for each in repairs if each is not None))
