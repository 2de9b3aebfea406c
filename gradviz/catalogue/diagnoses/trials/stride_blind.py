"""An expanded or transposed tensor is read as if it were contiguous."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

STRIDE_BLIND = DiagnosisInfo(
    code="stride_blind",
    title="Strides of grad_output are ignored",
    is_observation=True,
    guide="`backward` assumes a dense `grad_output` and misreads an expanded or transposed one",
    beyond_gradcheck=True,
)
