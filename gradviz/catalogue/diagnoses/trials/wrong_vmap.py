"""Batched gradients fail or are wrong although backward is right."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

WRONG_VMAP = DiagnosisInfo(
    code="wrong_vmap",
    title="Backward fails under vmap",
    is_observation=True,
    guide="`backward` is right alone, but raises or gives other gradients under `torch.vmap`",
)
