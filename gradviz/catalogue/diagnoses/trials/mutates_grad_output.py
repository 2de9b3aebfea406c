"""The incoming gradient is changed in place."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

MUTATES_GRAD_OUTPUT = DiagnosisInfo(
    code="mutates_grad_output",
    title="grad_output is modified in place",
    is_observation=True,
    guide="`backward` changes `grad_output` in place, although other nodes still need it",
    beyond_gradcheck=True,
)
