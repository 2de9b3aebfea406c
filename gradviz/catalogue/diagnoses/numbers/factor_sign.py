"""All values have the wrong sign."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

FACTOR_SIGN = DiagnosisInfo(
    code="factor_sign",
    title="Wrong sign",
    guide="a minus sign is missing, or there is one too many",
    messages={
        "factor_sign.part": (
            "In the gradient of {inputs}, the part that passes through {value} has the wrong sign."
        ),
        "factor_sign.one": (
            "The gradient of {inputs} has the wrong sign: the analytical value is -1 times the "
            "numerical one, {where}."
        ),
        "factor_sign.several": (
            "The gradients of {inputs} have the wrong sign: the analytical value is -1 times the "
            "numerical one, {where}."
        ),
        "factor_sign.operation": (
            "In the gradient of {inputs}, the value computed in {line} ({operation}) has the wrong "
            "sign."
        ),
        "factor_sign.evidence.difference": (
            "If the function is a difference, such as a - b, swapped gradients would look the same."
        ),
        "factor_sign.first": (
            "In the gradient of {inputs}, the first operand of {operation} in {line} has the wrong "
            "sign."
        ),
        "factor_sign.second": (
            "In the gradient of {inputs}, the second operand of {operation} in {line} has the "
            "wrong sign."
        ),
    },
)
