"""A sparse input gets no gradient for some elements."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

MASKED_GRADIENT = DiagnosisInfo(
    code="masked_gradient",
    title="Gradient masked to specified elements",
    guide="a sparse input gets a gradient only at its specified elements",
    messages={
        "masked_gradient.message": (
            "Backward returns no gradient for some elements of {input}; the gradients of the "
            "others are correct. If the missing ones are unspecified elements of a sparse input, "
            "the gradient is masked: to_dense() does this, to_dense(masked_grad=False) does not. "
            "With masked=True (--masked), only the specified elements are compared."
        ),
    },
)
