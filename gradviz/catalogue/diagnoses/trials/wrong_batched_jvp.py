"""Batched forward mode fails or is wrong although forward mode is right."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

WRONG_BATCHED_JVP = DiagnosisInfo(
    code="wrong_batched_jvp",
    title="Forward mode (jvp) fails under vmap",
    is_observation=True,
    guide="`jvp` is right alone, but raises or gives other derivatives under `vmap`",
)
