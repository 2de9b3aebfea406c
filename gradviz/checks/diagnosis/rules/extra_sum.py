"""Rule for a gradient that is summed over a dimension by mistake and expanded again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.dimension_text import say_dimensions_of
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.model.diagnosis import Diagnosis

_MOST_DIMENSIONS = 6

SumReading = tuple[bool, tuple[int, ...], bool]
"""Which gradient is reduced (True: the output's), over which dimensions, and whether averaged."""


@yields("extra_sum")
def extra_sum(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose analytical values that are sums or means of numerical ones."""
    if pair.analytical_is_zero or pair.numerical_is_zero:
        return None
    for reading in _readings(pair):
        confidence = pair.confidence(_holds(reading))
        if confidence is not None:
            arriving, dimensions, mean = reading
            name = pair.output_name if arriving else pair.input_name
            over = say_dimensions_of(dimensions, name)
            key = "extra_sum.averaged" if mean else "extra_sum.summed"
            return pair.diagnosis(
                key,
                confidence=confidence,
                evidence=(say(f"{key}.evidence", count=pair.numerical.numel(), dimensions=over),),
                name=name,
                dimensions=over,
            )
    return None


def _readings(pair: JacobianPair) -> Iterator[SumReading]:
    """Candidates, fewer dimensions first, sums before means."""
    for arriving, sizes in ((True, pair.output_shape), (False, pair.input_shape)):
        long = [k for k, size in enumerate(sizes) if size > 1][:_MOST_DIMENSIONS]
        for count in range(1, len(long) + 1):
            for dimensions in combinations(long, count):
                for mean in (False, True):
                    yield arriving, dimensions, mean


def _holds(reading: SumReading) -> Callable[[JacobianPair], bool]:
    def holds(pair: JacobianPair) -> bool:
        if pair.analytical_is_zero:
            return False
        return pair.is_same(pair.analytical.reshape(pair.shape), _summed(pair, reading))

    return holds


def _summed(pair: JacobianPair, reading: SumReading) -> Tensor:
    arriving, dimensions, mean = reading
    first = len(pair.input_shape) if arriving else 0
    places = [first + each for each in dimensions]
    numerical = pair.numerical.reshape(pair.shape)
    summed = numerical.mean(places, keepdim=True) if mean else numerical.sum(places, keepdim=True)
    # Backward has to expand the sum again, or the engine would reject its shape.
    return summed.expand(pair.shape)
