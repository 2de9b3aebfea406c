"""An input or a saved tensor is changed in place."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

INPLACE_DAMAGE = DiagnosisInfo(
    code="inplace_damage",
    title="Harmful in-place change",
    is_observation=True,
    guide="an input or a saved tensor is overwritten",
)
