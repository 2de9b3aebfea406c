"""The result depends on something that is not an argument."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

HIDDEN_STATE = DiagnosisInfo(
    code="hidden_state",
    title="Depends on hidden state",
    is_observation=True,
    guide="the result depends on something that persists from call to call",
)
