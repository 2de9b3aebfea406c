"""Right gradients are returned for the wrong inputs."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

SWAPPED_GRADIENTS = DiagnosisInfo(
    code="swapped_gradients",
    title="Gradients of two inputs swapped",
    guide="the gradients of two inputs are returned in the wrong order",
    messages={
        "swapped_gradients.two": (
            "The gradients of {inputs} are swapped: backward has to return them in the order of "
            "forward's arguments."
        ),
        "swapped_gradients.several": (
            "The gradients of {inputs} are returned in the wrong order: backward has to return "
            "them in the order of forward's arguments."
        ),
        "swapped_gradients.evidence": "Backward returns for {other} the gradient of {input}.",
        "swapped_gradients.evidence.corrected": (
            "In the correct order, 0 of {count} elements are wrong."
        ),
        "swapped_gradients.rejected.evidence": (
            "The gradient returned for {other} has the shape {shape} of {input} and agrees with "
            "the numerical Jacobian of that input."
        ),
    },
)
