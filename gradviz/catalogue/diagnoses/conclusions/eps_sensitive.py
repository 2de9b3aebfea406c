"""Another step of the central difference gives agreement."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

EPS_SENSITIVE = DiagnosisInfo(
    code="eps_sensitive",
    title="Unsuitable eps",
    guide="eps is too large or too small for this function",
    severity="check",
)
