"""None is returned for a gradient that is not zero."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

DROPPED_NONE = DiagnosisInfo(
    code="dropped_none",
    title="Gradient is None",
    guide="`backward` returns None, but the true gradient is not zero",
    messages={
        "dropped_none.message": (
            "{output} changes with {input}, but no gradient comes back: the backward of "
            "{function} returns None."
        ),
        "dropped_none.evidence": (
            "A nonzero gradient reached {function}; for argument {argument} of forward, its "
            "backward returned None."
        ),
    },
)
