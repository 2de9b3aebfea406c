"""The engine rejects right values in a wrong shape."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

WRONG_GRADIENT_SHAPE = DiagnosisInfo(
    code="wrong_gradient_shape",
    title="Wrong shape",
    is_observation=True,
    guide="the gradient has the right values in the wrong shape, such as a flat one",
    messages={
        "wrong_gradient_shape.message": (
            "The gradient of {input} has the correct values in the wrong shape: backward returns "
            "a gradient of shape {returned}, but {input} has shape {expected}. Look for a "
            "squeeze, view or reshape."
        ),
    },
)
