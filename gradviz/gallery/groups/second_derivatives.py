"""Scenes about the second derivative and what backward must save for it."""

from __future__ import annotations

from gradviz.gallery.scene import NO_BACKWARD_START, Scene, SceneGroup, arange, module, values

_GROUP = SceneGroup(id="second-derivatives", title="Differentiated twice")

SCENES: tuple[Scene, ...] = (
    Scene(
        id="cube",
        title="MyCube",
        group=_GROUP,
        summary=(
            "The derivative is a second output, so backward can be differentiated again and"
            " again. Step through three derivatives."
        ),
        module=module("cube"),
        callable_name="three_derivatives",
        inputs=(values("x", (), 2.0),),
        start=NO_BACKWARD_START,
        compare_with=(
            "cube-wrong",
            "cube-once",
        ),
        checked="MyCube",
    ),
    Scene(
        id="cube-times",
        title="MyCube times x",
        group=_GROUP,
        summary=(
            "The loss is the cube times x. Its second derivative has three parts, and "
            "all of them arrive: 48."
        ),
        module=module("cube"),
        callable_name="two_derivatives",
        inputs=(values("x", (), 2.0),),
        start=NO_BACKWARD_START,
        compare_with=(
            "cube-wrong",
            "cube-once",
        ),
        checked="MyCube",
    ),
    Scene(
        id="cube-wrong",
        title="MyCube, an intermediate saved",
        group=_GROUP,
        summary=(
            "The derivative is saved although it is not an output. The second derivative "
            "is 24; the correct value is 48, and torch raises no error."
        ),
        module=module("cube_wrong"),
        callable_name="silently_wrong",
        inputs=(values("x", (), 2.0),),
        start=NO_BACKWARD_START,
        compare_with=(
            "cube-times",
            "cube-once",
        ),
        checked="MyCube",
    ),
    Scene(
        id="cube-wrong-alone",
        title="MyCube, an intermediate saved, alone",
        group=_GROUP,
        summary=(
            "The same cube alone: its gradient has no history, and torch refuses to "
            "differentiate it."
        ),
        module=module("cube_wrong"),
        callable_name="without_history",
        inputs=(values("x", (), 2.0),),
        start=NO_BACKWARD_START,
        compare_with=("cube",),
        checked="MyCube",
        fails=True,
    ),
    Scene(
        id="cube-once",
        title="MyCube, once differentiable",
        group=_GROUP,
        summary=(
            "The honest alternative: the intermediate is saved, and once_differentiable "
            "declares it. The second derivative raises an error instead of being wrong."
        ),
        module=module("cube_once"),
        callable_name="refused",
        inputs=(values("x", (), 2.0),),
        start=NO_BACKWARD_START,
        compare_with=(
            "cube-times",
            "cube-wrong",
        ),
        checked="MyCube",
        fails=True,
    ),
    Scene(
        id="functional-linear-double",
        title="FunctionalLinear, double backward",
        group=_GROUP,
        summary=(
            "A penalty on gradients is differentiated. The gradient of bias was detached "
            "on its way, so the second order is cut there."
        ),
        module=module("functional_linear_double"),
        callable_name="differentiate_twice",
        inputs=(
            arange("x", 4, 3),
            arange("weight", 2, 3),
            values("bias", (2,), 1.0, -1.0),
        ),
        start=NO_BACKWARD_START,
        compare_with=(
            "functional-linear-double-once",
            "functional-linear",
        ),
        checked="FunctionalLinear",
    ),
    Scene(
        id="functional-linear-double-once",
        title="FunctionalLinear, differentiated twice in vain",
        group=_GROUP,
        summary=(
            "The same with once_differentiable: the second backward pass runs into the error node."
        ),
        module=module("functional_linear_double"),
        callable_name="differentiate_once",
        inputs=(
            arange("x", 4, 3),
            arange("weight", 2, 3),
            values("bias", (2,), 1.0, -1.0),
        ),
        start=NO_BACKWARD_START,
        compare_with=("functional-linear-double",),
        checked="FunctionalLinearOnce",
        fails=True,
    ),
    Scene(
        id="functional-linear-double-sum",
        title="FunctionalLinear, gradients without history",
        group=_GROUP,
        summary=(
            "For a plain sum, grad_output is a constant, so the gradients have no "
            "history even with create_graph."
        ),
        module=module("functional_linear_double"),
        callable_name="differentiate_sum",
        inputs=(
            arange("x", 4, 3),
            arange("weight", 2, 3),
            values("bias", (2,), 1.0, -1.0),
        ),
        start=NO_BACKWARD_START,
        compare_with=("functional-linear-double-once",),
        checked="FunctionalLinearOnce",
        fails=True,
    ),
)
