"""Complex values are the conjugates of the right ones."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

MISSING_CONJUGATE = DiagnosisInfo(
    code="missing_conjugate",
    title="Missing conjugate",
    guide="the values are the complex conjugates of the right ones: a `.conj()` is missing",
    messages={
        "missing_conjugate.message": (
            "A conjugate seems to be missing: the gradient of {inputs} has the complex conjugates "
            "of the correct values. The backward of a complex function multiplies grad_output by "
            "the conjugate of the derivative. Look for a place that needs .conj() or .mH."
        ),
        "missing_conjugate.evidence": (
            "All {count} analytical values are the complex conjugates of the numerical ones. For "
            "imaginary parts of outputs, where grad_output is 1j, the sign is reversed as well."
        ),
        "missing_conjugate.first": (
            "In the gradient of {inputs}, {operation} in {line} needs the conjugate of its first "
            "operand."
        ),
        "missing_conjugate.second": (
            "In the gradient of {inputs}, {operation} in {line} needs the conjugate of its second "
            "operand."
        ),
        "missing_conjugate.surplus": (
            "In the gradient of {inputs}, the conjugate in {line} is one too many."
        ),
    },
)
