"""No test found a problem."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

NONE = DiagnosisInfo(
    code="none",
    title="No problem found",
    guide="no test found anything against it",
    severity="calm",
    messages={
        "none.message": "None of the checks found a problem.",
        "none.products": (
            "Every element is within the tolerance, but the sums of many elements that fast mode "
            "compares are not."
        ),
    },
)
