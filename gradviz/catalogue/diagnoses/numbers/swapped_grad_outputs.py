"""The gradients of outputs are used in the wrong order."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

SWAPPED_GRAD_OUTPUTS = DiagnosisInfo(
    code="swapped_grad_outputs",
    title="Gradients of outputs swapped",
    guide="`backward` uses the gradient of one output where that of another belongs",
    messages={
        "swapped_grad_outputs.swapped": (
            "In the gradient of {inputs}, the gradients of {outputs} are swapped: backward "
            "receives them in the order of forward's outputs."
        ),
        "swapped_grad_outputs.reused": (
            "In the gradient of {inputs}, the term of {outputs} is multiplied by the gradient of "
            "{used} instead of its own."
        ),
        "swapped_grad_outputs.evidence": (
            "The values that belong to {output} are in the analytical Jacobian of {other}."
        ),
        "swapped_grad_outputs.evidence.corrected": (
            "In the correct order, 0 of {count} elements are wrong."
        ),
    },
)
