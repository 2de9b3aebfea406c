"""Scenes about what autograd cannot see, or should not see."""

from __future__ import annotations

from gradviz.gallery.scene import Scene, SceneGroup, module, values

_GROUP = SceneGroup(id="outside-autograd", title="What autograd cannot see")

SCENES: tuple[Scene, ...] = (
    Scene(
        id="numpy",
        title="The sine by NumPy",
        group=_GROUP,
        summary=(
            "NumPy computes the sine, and autograd sees none of it: this is what custom "
            "Functions are for."
        ),
        module=module("numpy_sine"),
        callable_name="NumpySine",
        inputs=(values("x", (3,), 0.0, 1.0, 2.0),),
    ),
    Scene(
        id="straight-through",
        title="Straight-through rounding",
        group=_GROUP,
        summary=(
            "Rounding has gradient zero; this backward passes the gradient on unchanged. "
            "The two Jacobians differ on purpose."
        ),
        module=module("straight_through"),
        callable_name="StraightThroughRound",
        inputs=(values("x", (3,), 0.2, 0.7, 1.4),),
    ),
)
