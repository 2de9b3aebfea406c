"""Zeros are returned for a gradient that is not zero."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

DROPPED_ZERO = DiagnosisInfo(
    code="dropped_zero",
    title="Gradient is all zeros",
    guide="`backward` returns zeros, but the true gradient is not zero",
    messages={
        "dropped_zero.message": (
            "{output} changes with {input}, but no gradient comes back: the backward of "
            "{function} returns only zeros."
        ),
        "dropped_zero.evidence": (
            "A nonzero gradient reached {function}; for argument {argument} of forward, its "
            "backward returned only zeros."
        ),
        "dropped_zero.cancelled": (
            "{output} changes with {input}, but the gradient that comes back is zero everywhere."
        ),
    },
)
