"""The verdict of a soak: what leaks is found and named, and noise or a cache is not."""

from __future__ import annotations

import random

import pytest

from tests.soak.__main__ import conclude
from tests.soak.samples import ALLOWANCES, OF_OBJECTS, PRINTED
from tests.soak.verdict import LEAST, Allowance, find_growth

_RANDOM = random.Random(0)
_NOISE = [_RANDOM.uniform(-8, 8) for _ in range(60)]
_ALLOWED = Allowance(absolute=10)


def noisy(values: list[float]) -> list[float]:
    return [100 + value + noise for value, noise in zip(values, _NOISE, strict=True)]


@pytest.mark.parametrize(
    ("values", "leaks"),
    [
        ([0.0] * 60, False),
        ([float(at) for at in range(60)], True),
        # A leak of something that happens now and then.
        ([20.0 * (at // 15) for at in range(60)], True),
        # Caches that fill up, at the start and later.
        ([min(40.0, 4.0 * at) for at in range(60)], False),
        ([min(40.0, 1.0 * at) for at in range(60)], False),
        # A few samples taken while something ran.
        ([80.0 if at in (3, 41, 58, 59) else 0.0 for at in range(60)], False),
        ([60.0 - at for at in range(60)], False),
    ],
    ids=["flat", "leak", "steps", "early cache", "late cache", "peaks", "falling"],
)
def test_only_what_keeps_growing_is_a_leak(values: list[float], leaks: bool) -> None:
    assert (find_growth("x", noisy(values), _ALLOWED) is not None) == leaks


def test_a_large_quantity_may_grow_by_a_share_of_it() -> None:
    values = noisy([float(at) for at in range(60)])
    assert find_growth("x", values, Allowance(absolute=10, share=0.5)) is None
    assert find_growth("x", values[: LEAST - 1], _ALLOWED) is None


def test_the_end_names_what_grew_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    flat, growing = [7.0] * 12, [float(20 + 3 * at) for at in range(12)]
    assert conclude({"threads": flat, "handles": flat}, [], objects=True) == 0
    assert conclude({"threads": growing, "handles": flat}, [], objects=False) == 1
    assert "threads grew from 32 to 50" in capsys.readouterr().out
    many = {"type: Panel": [1000.0 * each for each in growing]}
    assert conclude(many, [], objects=False) == 0
    assert conclude(many, [], objects=True) == 1
    assert conclude({"threads": flat}, ["RuntimeError: deleted"], objects=True) == 1
    assert conclude({"threads": flat[: LEAST - 1]}, [], objects=True) == 1


def test_every_quantity_has_an_allowance() -> None:
    assert {"memory", *PRINTED, *OF_OBJECTS} <= ALLOWANCES.keys()
