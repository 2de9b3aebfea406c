"""The engine rejects right values that are not expanded to the shape of the input."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

NOT_EXPANDED = DiagnosisInfo(
    code="not_expanded",
    title="Gradient not expanded",
    guide="the gradient of a sum or mean is not expanded to the shape of the input",
    messages={
        "not_expanded.message": (
            "The gradient of {input} is not expanded over {dimensions}: backward returns a "
            "gradient of shape {returned}, but {input} has shape {expected}. Use .unsqueeze() and "
            ".expand()."
        ),
    },
)
