"""The gradient is wrong for an input for which no causes are tested."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

SPARSE_MISMATCH = DiagnosisInfo(
    code="sparse_mismatch",
    title="Wrong gradient of a sparse input",
    is_observation=True,
    guide="wrong for a sparse input, for which gradviz does not look for causes",
    severity="doubt",
    messages={
        "sparse_mismatch.message": (
            "Backward returns a wrong gradient for {input}. For sparse inputs, gradviz does not "
            "test the causes it recognizes for dense ones."
        ),
    },
)
