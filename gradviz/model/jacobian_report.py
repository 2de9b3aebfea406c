"""Numerical and analytical Jacobians of a function, and the result of comparing them.

Matrices are ``[input elements, output elements]``, as in ``torch.autograd.gradcheck``: the
transpose of the textbook Jacobian. The difference is analytical minus numerical.
"""

from math import isfinite
from typing import Literal

from gradviz.model.codec import Complex, Natural, Real, TraceRecord
from gradviz.model.diagnosis import BlockPart, BlockPlace, Diagnosis, ErrorCurve, Trial
from gradviz.model.function_curve import FunctionCurve
from gradviz.model.source import Location

CheckVerdict = Literal["match", "mismatch", "inconclusive", "error", "incomplete"]


class WorstElement(TraceRecord, frozen=True, kw_only=True):
    """The element with the largest ``|a - n| / (atol + rtol * |n|)``; ties by row and column.

    Attributes:
        row: Row-major position of the input element.
        column: Row-major position of the output element.
        input_index: The row as an index into the input tensor.
        output_index: The column as an index into the output tensor.
        analytical: Value of the analytical Jacobian.
        numerical: Value of the numerical Jacobian.
        excess: The quotient above; over 1 means outside the tolerance. Inf if NaN is involved.
    """

    row: Natural
    column: Natural
    input_index: tuple[Natural, ...]
    output_index: tuple[Natural, ...]
    analytical: Complex
    numerical: Complex
    excess: Real


class JacobianBlock(TraceRecord, frozen=True, kw_only=True):
    """Both Jacobians of one output with respect to one input.

    Attributes:
        output: Index among the function's outputs.
        output_name: ``output`` or ``output 0``; for second order a name such as ``grad_x``.
        output_shape: Shape of that output.
        input: Index among the function's arguments.
        input_name: Name of the argument.
        input_shape: Shape of that argument.
        part: ``real`` or ``imag`` if a complex output is checked in two runs; otherwise empty.
        numerical: Tensor of the trace with the numerical matrix, of shape
            ``[input elements, output elements]``.
        analytical: Tensor with the analytical matrix, of the same shape.
        wrong: Number of elements outside the tolerance.
        worst: The worst element; None for an empty matrix.
        forward: Tensor with the matrix from forward mode; None if it was not requested.
        forward_wrong: Number of its elements that are outside the tolerance.
        reference: Tensor with autograd's own Jacobian of a plain version of the function; None if
            there is no such version.
        spread: Tensor with the differences between identical backward passes; None if they agreed.
        lines: Where the source's ``backward`` computes this gradient, as far as known; last line
            first.
        reference_wrong: Number of elements of the numerical matrix that are outside the tolerance
            of ``reference``.
    """

    output: Natural
    output_name: str
    output_shape: tuple[Natural, ...]
    input: Natural
    input_name: str
    input_shape: tuple[Natural, ...]
    part: BlockPart
    numerical: Natural
    analytical: Natural
    wrong: Natural
    worst: WorstElement | None
    forward: Natural | None = None
    forward_wrong: Natural = 0
    reference: Natural | None = None
    spread: Natural | None = None
    lines: tuple[Location, ...] = ()
    reference_wrong: Natural = 0

    @property
    def place(self) -> BlockPlace:
        """Output, input and part, which no other block of the report shares."""
        return self.output, self.input, self.part

    @property
    def matrices(self) -> tuple[int, ...]:
        """All tensors of the trace that belong to this block."""
        more = (self.forward, self.reference, self.spread)
        return (self.numerical, self.analytical, *(each for each in more if each is not None))

    @property
    def count(self) -> int:
        """Number of elements of each matrix."""
        size = 1
        for length in (*self.input_shape, *self.output_shape):
            size *= length
        return size


class CheckProblem(TraceRecord, frozen=True, kw_only=True):
    """A problem that a check found, other than a differing element.

    Attributes:
        code: Stable identifier for programs, such as ``nondeterministic`` or ``raised``.
        message: One sentence for people.
        decides: Whether it makes the check fail; False for a hint such as ``low_precision``.
    """

    code: str
    message: str
    decides: bool = True


class PassGradient(TraceRecord, frozen=True, kw_only=True):
    """The gradient that one pass gave to one leaf, and what it should be.

    Elements are in row-major order.

    Attributes:
        pass_id: Number of the backward pass in the run, from 1.
        name: Name of the argument or parameter.
        shape: Its shape.
        received: The gradient from this pass alone, not what had accumulated before.
        numerical: Central differences of the tensors at which the pass starts, multiplied by the
            gradients it starts with; NaN for elements that were not measured, or not reliably.
        reference: The gradient from autograd where every custom Function runs its forward as
            plain torch code; empty if that does not compute the same values.
        wrong: Number of elements outside the tolerance of the check.
        confirmed: Whether ``reference`` agrees with ``numerical``, so that the custom Functions
            are to blame for wrong elements.
    """

    pass_id: Natural
    name: str
    shape: tuple[Natural, ...]
    received: tuple[Real, ...]
    numerical: tuple[Real, ...]
    reference: tuple[Real, ...] = ()
    wrong: Natural = 0
    confirmed: bool = False

    @property
    def is_measured(self) -> bool:
        """Whether every element was measured."""
        return all(each == each for each in self.numerical)


class JacobianReport(TraceRecord, frozen=True, kw_only=True):
    """Result of one check.

    Attributes:
        id: Number in the trace.
        subject: Title of what was checked.
        eps: Step of the central difference, in units of the input.
        atol: Absolute tolerance.
        rtol: Tolerance relative to the numerical value.
        nondet_tol: Largest difference between two identical backward runs that counts as equal.
        dtype: Dtype of the checked inputs, without ``torch.``.
        device: Device of the computation.
        blocks: One for each checked pair of an output and an input.
        problems: All other problems.
        verdict: ``match`` means that ``gradcheck`` returns True; ``inconclusive`` that it returns
            False, but only because of rounding in low precision.
        evaluations: Number of forward and backward evaluations, without those of
            ``function_curves``.
        duration_ns: Wall time.
        order: 1 for ``gradcheck`` of the function; 2 for ``gradgradcheck`` of its backward.
        diagnoses: What is wrong, most certain and specific first; never empty once a check has
            completed.
        cast_from: Dtypes of the inputs before they were cast; empty if they were not.
        forward_mode: Whether forward mode was compared.
        batched: Whether batched gradients were compared.
        fast: Whether products with random vectors were compared first; pairs that passed then have
            no block.
        reference: Title of the plain version that was differentiated; empty for none.
        curves: How differences depend on the step, if that was measured.
        trials: Other conditions under which the function was tested.
        nudge: How far the inputs were moved first; 0 if they were not.
        unfinished: Pairs in progress when this was written. Their matrices hold what was there: the
            first rows of the numerical one and the first columns of the analytical one. Nothing was
            compared.
        passes: What the backward passes of the example program gave to its arguments and
            parameters, next to finite differences; empty if it runs none, or none was compared.
        function_curves: The function along elements of some pairs, if it was sampled; the worst
            element of a pair comes before its others.
    """

    id: Natural
    subject: str
    eps: Real
    atol: Real
    rtol: Real
    nondet_tol: Real
    dtype: str
    device: str
    blocks: tuple[JacobianBlock, ...]
    problems: tuple[CheckProblem, ...]
    verdict: CheckVerdict
    evaluations: Natural
    duration_ns: Natural
    order: Natural = 1
    diagnoses: tuple[Diagnosis, ...] = ()
    cast_from: str = ""
    forward_mode: bool = False
    batched: bool = False
    fast: bool = False
    reference: str = ""
    curves: tuple[ErrorCurve, ...] = ()
    trials: tuple[Trial, ...] = ()
    nudge: Real = 0.0
    unfinished: tuple[JacobianBlock, ...] = ()
    passes: tuple[PassGradient, ...] = ()
    function_curves: tuple[FunctionCurve, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether gradcheck passes and no diagnosis beyond it indicates an error."""
        return self.verdict == "match" and all(each.is_harmless for each in self.diagnoses)

    @property
    def has_result(self) -> bool:
        """Whether the verdict says if the function is right."""
        return self.verdict in ("match", "mismatch")

    @property
    def low_precision(self) -> str:
        """Dtypes of the checked inputs that are less precise than float64; empty without any."""
        found = self.dtype.split(", ")
        return ", ".join(each for each in found if each not in ("float64", "complex128"))

    @property
    def nothing_compared(self) -> CheckProblem | None:
        """Why gradcheck passes although no Jacobians were compared; None otherwise."""
        codes = ("not_differentiable", "once_differentiable")
        found = (each for each in self.problems if each.code in codes)
        return next(found, None) if self.verdict == "match" else None

    def diagnoses_of(self, block: JacobianBlock) -> tuple[Diagnosis, ...]:
        """The diagnoses for one pair of an output and an input."""
        return tuple(each for each in self.diagnoses if each.place == block.place)

    def function_curve_of(
        self, block: JacobianBlock | None, element: tuple[int, int] | None = None
    ) -> FunctionCurve | None:
        """The sampled function of a pair; None if it was not sampled.

        Args:
            block: The pair.
            element: Row and column of an element; None for the worst one.
        """
        found = (
            each
            for each in self.function_curves
            if block and each.place == block.place and element in (None, (each.row, each.column))
        )
        return next(found, None)

    def error_curve_of(self, block: JacobianBlock | None) -> ErrorCurve | None:
        """The errors of a pair at several steps; None if they were not measured."""
        return next((each for each in self.curves if block and each.place == block.place), None)

    def allowed_at(self, block: JacobianBlock, curve: ErrorCurve) -> float | None:
        """Tolerance at the element of a curve; None if its numerical value is not known."""
        worst = block.worst
        if worst is None or (worst.row, worst.column) != (curve.row, curve.column):
            return None
        allowed = self.atol + self.rtol * abs(worst.numerical)
        return allowed if isfinite(allowed) and allowed > 0 else None

    def block_at(self, place: BlockPlace) -> JacobianBlock | None:
        """The block at a place; None if the report has none there."""
        return next((each for each in self.blocks if each.place == place), None)

    def matrices_of(self, block: JacobianBlock) -> tuple[int, ...]:
        """All tensors of the trace that belong to a pair, including those of tried repairs."""
        repairs = (each.repair for each in self.diagnoses_of(block))
        return (*block.matrices, *(each.matrix for each in repairs if each is not None))
