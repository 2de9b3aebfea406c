"""The function has no derivative at this point."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

KINK = DiagnosisInfo(
    code="kink",
    title="Kink at this point",
    guide="the slopes on the left and on the right differ at this point: move it",
    severity="check",
)
