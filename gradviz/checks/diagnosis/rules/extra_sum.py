"""Rule for a gradient that is summed over a dimension by mistake and expanded again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from torch import Tensor

from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.model.diagnosis import Diagnosis

_MOST_DIMENSIONS = 6

SumReading = tuple[bool, tuple[int, ...], bool]
"""Which gradient is reduced (True: the output's), over which dimensions, and whether averaged."""


def extra_sum(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose analytical values that are sums or means of numerical ones."""
    if pair.analytical_is_zero or pair.numerical_is_zero:
        return None
    for reading in _readings(pair):
        confidence = pair.confidence(_holds(reading))
        if confidence is not None:
            arriving, dimensions, mean = reading
            over = _named(dimensions, pair.output_name if arriving else pair.input_name)
            how = "averaged" if mean else "summed"
            whose = pair.output_name if arriving else pair.input_name
            return pair.diagnosis(
                "extra_sum",
                f"For {pair.input_name}, backward uses the gradient of {whose} {how} over "
                f"{over} and gives the result to every element. Remove this reduction.",
                confidence=confidence,
                evidence=(
                    f"All {pair.numerical.numel()} analytical values equal the numerical "
                    f"ones {how} over {over}.",
                ),
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
    return summed.expand(pair.shape)


def _named(dimensions: tuple[int, ...], name: str) -> str:
    if len(dimensions) == 1:
        return f"dimension {dimensions[0]} of {name}"
    listed = ", ".join(map(str, dimensions[:-1]))
    return f"dimensions {listed} and {dimensions[-1]} of {name}"
