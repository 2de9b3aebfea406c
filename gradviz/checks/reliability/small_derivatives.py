"""Outputs whose derivatives are all below atol, compared once more with the outputs scaled.

At such a tolerance nothing is compared: a gradient of zeros would pass as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from msgspec import structs
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.names import function_class
from gradviz.checks.output_parts import as_tuple
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckFindings, SmallDerivatives
from gradviz.model.check_settings import CheckSettings
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import JacobianReport
from gradviz.recorder.patching.signals import calls_user_code

_ROUNDINGS = 100
"""Derivatives of less than so many roundings of the output are zeros, as far as can be seen."""

_LONGER = 100
"""How many times longer the second step is: rounding in forward then disturbs so much less."""

RecheckScaled = Callable[[Callable[..., Any], CheckSettings], JacobianReport]
"""Callable that checks another function on the same arguments, with its own diagnoses."""


class ScaledFunction:
    """A function whose outputs are multiplied by numbers.

    Args:
        function: The function.
        factors: The factor of each output that is scaled, by position.
    """

    def __init__(self, function: Callable[..., Any], factors: Mapping[int, float]) -> None:
        cls = function_class(function)
        self._call: Callable[..., Any] = function if cls is None else cls.apply
        self._factors = factors

    @calls_user_code
    def __call__(self, *values: Any) -> Any:
        """Call the function, and scale what it returns."""
        outputs = tuple(
            each * self._factors[k] if k in self._factors else each
            for k, each in enumerate(as_tuple(self._call(*values)))
        )
        return outputs[0] if len(outputs) == 1 else outputs


def largest_below(
    numerical: Tensor, analytical: Tensor, output: Tensor, settings: CheckSettings
) -> float:
    """The largest element of two Jacobians that are both below atol; 0 if that says nothing.

    Args:
        numerical: Of finite differences.
        analytical: Of backward.
        output: The output, whose rounding disturbs the differences.
        settings: Step and tolerances.
    """
    if not numerical.numel():
        return 0.0
    largest = max(float(each.abs().max()) for each in (numerical, analytical))
    rounding = torch.finfo(output.dtype).eps * float(output.detach().abs().max())
    is_seen = largest > _ROUNDINGS * rounding / settings.eps
    return largest if is_seen and largest <= settings.atol else 0.0


def note_below_atol(
    running: CheckContext,
    outputs: Sequence[Any],
    output: int,
    input_name: str,
    numerical: Tensor,
    analytical: Tensor,
) -> None:
    """Add a pair to the findings if all its derivatives are below atol: nothing was compared."""
    largest = largest_below(numerical, analytical, outputs[output], running.settings)
    if largest:
        running.findings.small.append(
            SmallDerivatives(
                output=output,
                output_name=running.output_names[output],
                input_name=input_name,
                largest=largest,
            )
        )


def recheck_scaled(
    function: Callable[..., Any],
    settings: CheckSettings,
    findings: CheckFindings,
    recheck: RecheckScaled,
) -> None:
    """Check a function once more with its small outputs scaled, and add what is found.

    A fault counts only if a longer step shows it too.
    """
    factors: dict[int, float] = {}
    for each in findings.small:
        factor = 10.0 ** math.ceil(-math.log10(each.largest))
        factors[each.output] = max(factors.get(each.output, 0.0), factor)
    scaled = ScaledFunction(function, factors)
    plain = settings.as_given()
    reports = [
        recheck(scaled, structs.replace(plain, eps=eps))
        for eps in (settings.eps, _LONGER * settings.eps)
    ]
    if any(report.verdict == "match" for report in reports):
        findings.small = [replace(each, factor=factors[each.output]) for each in findings.small]
        return
    first, second = (
        [each for each in report.diagnoses if not each.is_harmless] for report in reports
    )
    if {each.code for each in first} != {each.code for each in second}:
        return
    for diagnosis in first:
        findings.diagnose(_told(diagnosis, findings.small, factors, settings.atol))


def _told(
    diagnosis: Diagnosis, small: list[SmallDerivatives], factors: Mapping[int, float], atol: float
) -> Diagnosis:
    """A diagnosis of the scaled function as one of the function itself."""
    notes = tuple(
        say(
            "scaled.evidence",
            output=each.output_name,
            input=each.input_name,
            largest=each.largest,
            atol=atol,
            factor=factors[each.output],
        )
        for each in small
        if diagnosis.output in (None, each.output)
    )
    # The matrix of the repair belongs to the scaled function.
    return structs.replace(diagnosis, evidence=(*notes, *diagnosis.evidence), repair=None)
