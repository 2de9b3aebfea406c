"""Scenes about what autograd cannot see, or should not see."""

from __future__ import annotations

from gradviz.gallery.scene import Scene, SceneGroup, values

_SCENES = (
    Scene(
        id="numpy",
        title="The sine by NumPy",
        summary=(
            "NumPy computes the sine, and autograd sees none of it: this is what custom "
            "Functions are for."
        ),
        program="numpy_sine.NumpySine",
        inputs=(values("x", (3,), 0.0, 1.0, 2.0),),
    ),
    Scene(
        id="straight-through",
        title="Straight-through rounding",
        summary=(
            "Rounding has gradient zero; this backward passes the gradient on unchanged. "
            "The two Jacobians differ on purpose."
        ),
        program="straight_through.StraightThroughRound",
        inputs=(values("x", (3,), 0.2, 0.7, 1.4),),
    ),
)

GROUP = SceneGroup(id="outside-autograd", title="What autograd cannot see", scenes=_SCENES)
