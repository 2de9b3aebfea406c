"""One of the terms that add up to the gradient is missing."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

MISSING_TERM = DiagnosisInfo(
    code="missing_term",
    title="Missing term",
    guide="one of the terms that add up to the gradient is missing",
    messages={
        "missing_term.constant": (
            "The gradient of {input} lacks a term: backward treats {results} as a constant, "
            "although it depends on {input}."
        ),
        "missing_term.constant.evidence": (
            "Run under autograd with only that treated as a constant, forward has the derivative "
            "that backward returns. With nothing treated as a constant, it has the numerical one."
        ),
        "missing_term.elementwise": (
            "The gradient of {input} lacks a term: each element of {output} depends on several "
            "elements of {input}, but backward computes only the elementwise part."
        ),
        "missing_term.elementwise.evidence": (
            "All {count} values on the diagonal of the Jacobian are correct. Off the diagonal, "
            "the analytical values are zero, but the numerical ones are not."
        ),
        "missing_term.output": (
            "The gradient of {input} lacks a term: {output} changes with {input}, but the "
            "gradient of {output} contributes nothing."
        ),
        "missing_term.output.evidence": (
            "Other outputs contribute to the gradient of {input}, and {output} contributes to the "
            "gradients of other inputs."
        ),
    },
)
