"""Scenes with an error to find."""

from __future__ import annotations

from gradviz.gallery.scene import NO_BIAS, Scene, SceneGroup, arange, values

_SCENES = (
    Scene(
        id="linear-wrong",
        title="LinearFunction, wrong on purpose",
        summary=(
            "The gradient of weight lacks a transpose, but torch raises no error. "
            "Compare the analytical with the numerical Jacobian to see which elements "
            "are wrong."
        ),
        program="linear_wrong.LinearFunction",
        inputs=(
            arange("input", 2, 2),
            arange("weight", 2, 3),
            NO_BIAS,
        ),
        compare_with=("linear",),
    ),
    Scene(
        id="linear-squeeze",
        title="LinearFunction, bias gradient squeezed",
        summary=(
            "The gradient of bias is summed over the batch and squeezed. For three "
            "output features this is correct."
        ),
        program="linear_squeeze.LinearFunction",
        inputs=(
            arange("input", 2, 2),
            arange("weight", 2, 3),
            values("bias", (3,), 1.0, 0.0, -1.0),
        ),
        compare_with=("linear-squeeze-one",),
    ),
    Scene(
        id="linear-squeeze-one",
        title="LinearFunction, squeezed for one feature",
        summary=(
            "For one output feature, squeeze removes the only dimension of the bias "
            "gradient, and torch rejects it."
        ),
        program="linear_squeeze.LinearFunction",
        inputs=(
            arange("input", 2, 2),
            arange("weight", 2, 1),
            values("bias", (1,), 1.0),
        ),
        compare_with=("linear-squeeze",),
        fails=True,
    ),
)

GROUP = SceneGroup(id="faulty-functions", title="Wrong on purpose", scenes=_SCENES)
