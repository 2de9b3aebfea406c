"""The difference is rounding."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

FLOAT32_NOISE = DiagnosisInfo(
    code="float32_noise",
    title="Low-precision rounding",
    guide="the difference is rounding: check in float64",
    severity="check",
)
