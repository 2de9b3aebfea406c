"""Diagnoses of gradients that finite differences of the whole program contradict."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.rule import diagnosed
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import PassGradient


def diagnose_passes(gradients: Sequence[PassGradient]) -> tuple[Diagnosis, ...]:
    """A diagnosis for each backward pass with wrong gradients whose cause is a custom Function."""
    wrong = (each for each in gradients if each.wrong and each.confirmed)
    return tuple(
        _diagnosis(number, list(found))
        for number, found in groupby(wrong, lambda each: each.pass_id)
    )


def _diagnosis(number: int, found: list[PassGradient]) -> Diagnosis:
    first, *others = (worst_values(each) for each in found)
    return diagnosed(
        "wrong_pass_gradient",
        say("wrong_pass_gradient.found", number=number, **first),
        evidence=tuple(say("wrong_pass_gradient.also", **each) for each in others),
    )


def worst_values(found: PassGradient) -> dict[str, str]:
    """Name, received and numerical value of the element with the largest difference."""
    received, numerical = np.array(found.received), np.array(found.numerical)
    worst = int(np.nanargmax(np.abs(received - numerical)))
    index = ", ".join(str(each) for each in np.unravel_index(worst, found.shape))
    return {
        "name": f"{found.name}[{index}]" if found.shape else found.name,
        "received": f"{received[worst]:.6g}",
        "numerical": f"{numerical[worst]:.6g}",
    }
