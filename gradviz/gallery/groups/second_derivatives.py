"""Scenes about the second derivative and what backward must save for it."""

from __future__ import annotations

from gradviz.gallery.scene import NO_BACKWARD_START, Scene, SceneGroup, arange, values

_SCENES = (
    Scene(
        id="cube",
        title="MyCube",
        summary=(
            "The derivative is a second output, so backward can be differentiated again and"
            " again. Step through three derivatives."
        ),
        program="cube.three_derivatives",
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
        summary=(
            "The loss is the cube times x. Its second derivative has three parts, and "
            "all of them arrive: 48."
        ),
        program="cube.two_derivatives",
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
        summary=(
            "The derivative is saved although it is not an output. The second derivative "
            "is 24; the correct value is 48, and torch raises no error."
        ),
        program="cube_wrong.silently_wrong",
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
        summary=(
            "The same cube alone: its gradient has no history, and torch refuses to "
            "differentiate it."
        ),
        program="cube_wrong.without_history",
        inputs=(values("x", (), 2.0),),
        start=NO_BACKWARD_START,
        compare_with=("cube",),
        checked="MyCube",
        fails=True,
    ),
    Scene(
        id="cube-once",
        title="MyCube, once differentiable",
        summary=(
            "The honest alternative: the intermediate is saved, and once_differentiable "
            "declares it. The second derivative raises an error instead of being wrong."
        ),
        program="cube_once.refused",
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
        summary=(
            "A penalty on gradients is differentiated. The gradient of bias was detached "
            "on its way, so the second order is cut there."
        ),
        program="functional_linear_double.differentiate_twice",
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
        summary=(
            "The same with once_differentiable: the second backward pass runs into the error node."
        ),
        program="functional_linear_double.differentiate_once",
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
        summary=(
            "For a plain sum, grad_output is a constant, so the gradients have no "
            "history even with create_graph."
        ),
        program="functional_linear_double.differentiate_sum",
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

GROUP = SceneGroup(id="second-derivatives", title="Differentiated twice", scenes=_SCENES)
