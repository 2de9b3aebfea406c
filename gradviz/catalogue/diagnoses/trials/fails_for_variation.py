"""The given inputs pass, but a variation of them does not."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

FAILS_FOR_VARIATION = DiagnosisInfo(
    code="fails_for_variation",
    title="Fails for other inputs",
    is_observation=True,
    guide="right for the given inputs, but not for other sizes, dtypes or layouts",
)
