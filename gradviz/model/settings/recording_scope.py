"""Which part of a run a recording contains."""

import re
from typing import Literal, Self

from msgspec import Struct

from gradviz.model.codec import Real
from gradviz.model.settings.rank import Rank

StopReason = Literal["", "nan", "inf", "loss", "size", "disk"]

_TAIL = r"last(?::(\d+))?"
_RANGE = r"(\d*):(\d*)|(\d+)"


class PassRange(Struct, frozen=True, kw_only=True):
    """Outermost backward passes of a program; those that run inside of another are not counted.

    Attributes:
        first: Number of the first one, from 1.
        last: Number of the last one; None for no limit.
        tail: Only so many at the end of the recording; 0 for no such limit.
        is_sampled: Only the first 20, those numbered 1, 2 or 5 times a power of ten, 20 after each
            one that is not finite, five where the loss or the gradients jump, and up to 20 in a row
            near the end of the run.
        rows: First and last one of each row that a sample has instead of these, so that it has the
            same passes as another recording.
    """

    first: int = 1
    last: int | None = None
    tail: int = 0
    is_sampled: bool = False
    rows: tuple[tuple[int, int], ...] = ()

    @property
    def with_numbers_of_all(self) -> Self:
        """A sample with these passes, and the first one, which tells whose numbers to read."""
        row = self.first, self.last or _NO_LAST
        return type(self)(is_sampled=True, rows=(row,) if self.first == 1 else ((1, 1), row))

    def samples(self, number: int) -> bool:
        """Whether a sample of a long run has this pass, whatever happens in the run."""
        if self.rows:
            return any(first <= number <= last for first, last in self.rows)
        digits = str(number)
        return number <= SAMPLED_AT_ONCE or (digits[0] in "125" and not digits[1:].strip("0"))


_NO_LAST = 1 << 62

SAMPLED_AT_ONCE = 20
"""How many passes a sample has in a row: at the beginning, and where something happens."""

ALL_PASSES = PassRange()

SAMPLED_PASSES = PassRange(is_sampled=True)

DEFAULT_MAX_BYTES = 2 << 30
"""Size of the trace of a program at which its recording ends by itself."""


def parse_pass_range(text: str) -> PassRange:
    """Read a range such as ``3``, ``3:5``, ``3:``, ``:5``, ``last``, ``last:2`` or ``all``.

    Raises:
        ValueError: If the text has another form, or contains no pass.
    """
    if text == "all":
        return ALL_PASSES
    tail = re.fullmatch(_TAIL, text)
    if tail is not None:
        if int(tail[1] or 1) < 1:
            raise ValueError(text)
        return PassRange(tail=int(tail[1] or 1))
    first: int
    last: int | None
    found = re.fullmatch(_RANGE, text)
    if found is None or text == ":":
        raise ValueError(text)
    if found[3]:
        first = last = int(found[3])
    else:
        first, last = int(found[1] or 1), int(found[2]) if found[2] else None
    if first < 1 or (last is not None and last < first):
        raise ValueError(text)
    return PassRange(first=first, last=last)


class RecordingScope(Struct, frozen=True, kw_only=True):
    """What a recording was asked for, and which part of the run it contains.

    Attributes:
        passes: The passes that were asked for.
        first_pass: The first recorded pass, counted as in `PassRange`; None if there is none.
        last_pass: The last recorded pass.
        kept: First and last one of each row of recorded passes, if passes between were left out.
        run_passes: How many passes the run had; None if its process died.
        until: The condition that was to end the recording, as `parse_stop_condition` reads it;
            empty for none.
        max_bytes: Size of the trace that was to end the recording; None for no limit.
        only: Path of the module or function that the recording was limited to; empty for none.
        values: Whether elements and statistics of tensors were recorded.
        source: Whether source files were recorded.
        stopped: Why the recording ended before the run; empty if it did not, or after its passes.
        loss: The loss that ended it; None for another reason, or if no values were recorded.
        rank: The process, if the program runs in several; each has a trace of its own.
    """

    passes: PassRange = ALL_PASSES
    first_pass: int | None = None
    last_pass: int | None = None
    kept: tuple[tuple[int, int], ...] = ()
    run_passes: int | None = None
    until: str = ""
    max_bytes: int | None = None
    only: str = ""
    values: bool = True
    source: bool = True
    stopped: StopReason = ""
    loss: Real | None = None
    rank: Rank | None = None

    @property
    def same_passes(self) -> PassRange:
        """What records the same passes of another run, whatever time they take."""
        return PassRange(is_sampled=True, rows=self.kept) if self.kept else self.passes

    @property
    def is_limited(self) -> bool:
        """Whether it was asked for less than the whole run, or has less."""
        return (
            self.passes != ALL_PASSES
            or bool(self.until)
            or self.max_bytes not in (None, DEFAULT_MAX_BYTES)
            or bool(self.stopped)
            or bool(self.only)
            or not (self.values and self.source)
            or self.rank is not None
        )


WHOLE_RUN = RecordingScope()
