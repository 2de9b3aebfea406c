"""The best step of an error curve: none if no step is better than the others."""

from __future__ import annotations

import pytest

from gradviz.model.diagnosis import ErrorCurve


@pytest.mark.parametrize(
    ("errors", "best"),
    [
        ((1e-2, 1e-6, 1.2e-6, 1e-3), (1e-4, 1.2e-6)),
        ((float("nan"), 1e-3, float("inf"), 2.0), (1e-6, 1e-3)),
        ((0.0, 0.0, 0.0, 1.0), (1e-4, 0.0)),
        ((-1.0, -2.0, 1.0, 1.0), (1e-6, -2.0)),
        ((4.0, 4.0, 4.0, 4.01), None),
        ((float("nan"),) * 4, None),
    ],
)
def test_the_largest_step_with_nearly_the_least_error_is_the_best(
    errors: tuple[float, ...], best: tuple[float, float] | None
) -> None:
    steps, unknown = (1e-8, 1e-6, 1e-4, 1e-2), (0.0,) * 4
    curve = ErrorCurve(
        output=0,
        input=0,
        row=0,
        column=0,
        steps=steps,
        errors=errors,
        one_sided=unknown,
        floors=unknown,
    )
    assert curve.best == best
