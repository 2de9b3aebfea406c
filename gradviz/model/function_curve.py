"""A function along one element of an input, sampled by a check around the recorded value."""

from gradviz.model.codec import Natural, Real, TraceRecord
from gradviz.model.diagnosis import BlockPart, BlockPlace


class FunctionCurve(TraceRecord, frozen=True, kw_only=True):
    """One output element as a function of one input element; all other elements keep their values.

    Values that could not be computed are NaN: the function raised an error there.

    Attributes:
        output: Output of the block.
        input: Input of the block.
        part: Part of the block.
        row: Row-major position of the input element.
        column: Row-major position of the output element.
        at: Index of the check's own point among the samples.
        points: Values of the input element, ascending.
        values: The output element for each of them.
        numerical: Its central difference for each of them, with the eps of the check.
        analytical: The function's own backward for each of them.
    """

    output: Natural
    input: Natural
    part: BlockPart = ""
    row: Natural
    column: Natural
    at: Natural
    points: tuple[Real, ...]
    values: tuple[Real, ...]
    numerical: tuple[Real, ...]
    analytical: tuple[Real, ...]

    @property
    def place(self) -> BlockPlace:
        """The block that its elements are in."""
        return self.output, self.input, self.part
