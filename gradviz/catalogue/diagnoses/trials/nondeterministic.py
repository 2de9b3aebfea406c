"""Equal calls give different results."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

NONDETERMINISTIC = DiagnosisInfo(
    code="nondeterministic",
    title="Nondeterministic",
    is_observation=True,
    guide="equal calls give different results",
)
