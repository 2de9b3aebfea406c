"""Scenes about Functions inside modules, and about training."""

from __future__ import annotations

from gradviz.gallery.scene import (
    NO_BACKWARD_START,
    Scene,
    SceneGroup,
    arange,
    literal,
    randn,
)

_SCENES = (
    Scene(
        id="my-own-layer",
        title="MyOwnLayer, trained",
        summary=(
            "A module around a Function, between ordinary ops, for a few training steps. "
            "The loss falls, and gradients arrive at named parameters."
        ),
        program="my_own_layer.with_my_own_layer",
        inputs=(
            randn("x", 8, 3, requires_grad=False),
            randn("target", 8, 2, requires_grad=False),
            literal("bias", "True"),
            literal("steps", "5"),
        ),
        start=NO_BACKWARD_START,
        compare_with=("my-own-layer-torch",),
        checked="-",
    ),
    Scene(
        id="my-own-layer-torch",
        title="nn.Linear, trained",
        summary=(
            "The same training with torch's own layer, from the same initial values: the "
            "losses are the same."
        ),
        program="my_own_layer.with_torch",
        inputs=(
            randn("x", 8, 3, requires_grad=False),
            randn("target", 8, 2, requires_grad=False),
            literal("bias", "True"),
            literal("steps", "5"),
        ),
        start=NO_BACKWARD_START,
        compare_with=("my-own-layer",),
        checked="-",
    ),
    Scene(
        id="nn-linear",
        title="Linear, a module",
        summary=(
            "A module manages its registered parameters and buffers. A parameter in a "
            "plain list gets no name and is not moved to another device or dtype."
        ),
        program="nn_linear.run",
        inputs=(
            arange("input", 2, 3),
            literal("bias", "True"),
        ),
        start=NO_BACKWARD_START,
        checked="-",
    ),
)

GROUP = SceneGroup(id="modules", title="In a module", scenes=_SCENES)
