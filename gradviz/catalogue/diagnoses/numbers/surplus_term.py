"""Backward adds a term that does not belong to the gradient."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

SURPLUS_TERM = DiagnosisInfo(
    code="surplus_term",
    title="Surplus term",
    guide="`backward` adds a term that does not belong to the gradient",
    messages={
        "surplus_term.operation": (
            "The gradient of {inputs} has a term too many: leave out the value computed in {line} "
            "({operation})."
        ),
    },
)
