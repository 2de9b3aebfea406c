"""Scenes about types that override torch functions."""

from __future__ import annotations

from gradviz.gallery.scene import NO_BACKWARD_START, Scene, SceneGroup, values

_SCENES = (
    Scene(
        id="scalar-tensor",
        title="ScalarTensor",
        summary=(
            "Not a tensor, but torch functions accept it: each call asks the type "
            "through __torch_function__. See which type answers."
        ),
        program="scalar_tensor.tour",
        inputs=(),
        start=NO_BACKWARD_START,
        checked="-",
    ),
    Scene(
        id="tensor-subclass",
        title="A subclass that logs",
        summary=(
            "A Tensor subclass sees each torch function that is called with it, and "
            "leaves the work to Tensor."
        ),
        program="tensor_subclass.square_and_sum",
        inputs=(values("x", (3,), 1.0, 2.0, 3.0),),
        start=NO_BACKWARD_START,
        checked="-",
    ),
    Scene(
        id="tensor-wrapper",
        title="A wrapper with a unit",
        summary=(
            "A tensor in a wrapper that carries a unit: meters can be added to meters, "
            "not to seconds. Autograd works through it."
        ),
        program="tensor_wrapper.area",
        inputs=(values("x", (3,), 1.0, 2.0, 3.0),),
        start=NO_BACKWARD_START,
        checked="-",
    ),
)

GROUP = SceneGroup(id="tensor-types", title="Custom tensor types", scenes=_SCENES)
