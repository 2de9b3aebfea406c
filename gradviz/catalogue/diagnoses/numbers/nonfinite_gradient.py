"""Backward returns NaN or Inf where the derivative is finite."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

NONFINITE_GRADIENT = DiagnosisInfo(
    code="nonfinite_gradient",
    title="NaN or Inf gradient",
    is_observation=True,
    guide="backward returns NaN or Inf where the derivative is finite: a division by zero, a root",
    messages={
        "nonfinite_gradient.message": (
            "The gradient of {input} from {output} is {value} at {place}, where the derivative is "
            "finite."
        ),
        "nonfinite_gradient.op": (
            "The gradient of {input} from {output} is {value} at {place}, where the derivative is "
            "finite. In backward, {operation} is the first to return {first} for finite values."
        ),
        "nonfinite_gradient.op.at": (
            "The gradient of {input} from {output} is {value} at {place}, where the derivative is "
            "finite. In backward, {operation} in {line} is the first to return {first} for finite "
            "values."
        ),
        "nonfinite_gradient.evidence": (
            "{nonfinite} of {count} analytical values are NaN or Inf where the numerical ones are "
            "finite."
        ),
        "nonfinite_gradient.besides": (
            "Where all values are finite, the gradient of {input} has another mistake. {found}"
        ),
        "nonfinite_gradient.besides.evidence": (
            "This was measured with other input values, for which nothing is NaN or Inf."
        ),
    },
)
