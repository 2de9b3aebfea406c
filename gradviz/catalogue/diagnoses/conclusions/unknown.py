"""Something is wrong and fits no known cause."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

UNKNOWN = DiagnosisInfo(
    code="unknown",
    title="Unknown cause",
    guide="something is wrong and fits none of these; start at the worst element",
    severity="doubt",
    messages={
        "unknown.pair": (
            "The difference between the Jacobians of {output} with respect to {input} matches no "
            "mistake that gradviz recognizes. Start with the worst element."
        ),
        "unknown.check": (
            "The results match no mistake that gradviz recognizes. Start with the reported "
            "problems."
        ),
    },
)
