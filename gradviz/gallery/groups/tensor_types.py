"""Scenes about types that override torch functions."""

from __future__ import annotations

from gradviz.gallery.scene import NO_BACKWARD_START, Scene, SceneGroup, module, values

_GROUP = SceneGroup(id="tensor-types", title="Custom tensor types")

SCENES: tuple[Scene, ...] = (
    Scene(
        id="scalar-tensor",
        title="ScalarTensor",
        group=_GROUP,
        summary=(
            "Not a tensor, but torch functions accept it: each call asks the type "
            "through __torch_function__. See which type answers."
        ),
        module=module("scalar_tensor"),
        callable_name="tour",
        inputs=(),
        start=NO_BACKWARD_START,
        checked="-",
    ),
    Scene(
        id="tensor-subclass",
        title="A subclass that logs",
        group=_GROUP,
        summary=(
            "A Tensor subclass sees each torch function that is called with it, and "
            "leaves the work to Tensor."
        ),
        module=module("tensor_subclass"),
        callable_name="square_and_sum",
        inputs=(values("x", (3,), 1.0, 2.0, 3.0),),
        start=NO_BACKWARD_START,
        checked="-",
    ),
    Scene(
        id="tensor-wrapper",
        title="A wrapper with a unit",
        group=_GROUP,
        summary=(
            "A tensor in a wrapper that carries a unit: meters can be added to meters, "
            "not to seconds. Autograd works through it."
        ),
        module=module("tensor_wrapper"),
        callable_name="area",
        inputs=(values("x", (3,), 1.0, 2.0, 3.0),),
        start=NO_BACKWARD_START,
        checked="-",
    ),
)
