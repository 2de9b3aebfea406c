"""Scenes about messages of torch, and about parameters that do not learn."""

from __future__ import annotations

from gradviz.gallery.scene import NO_BACKWARD_START, Scene, SceneGroup, module, values

_GROUP = SceneGroup(id="errors", title="Errors of autograd")

SCENES: tuple[Scene, ...] = (
    Scene(
        id="carried-state",
        title="Backward a second time",
        group=_GROUP,
        summary=(
            "A state is carried into the next iteration, together with the graph of the last "
            "one. The second pass meets a node whose saved tensors are freed."
        ),
        module=module("carried_state"),
        callable_name="carry_the_state",
        inputs=(
            values("h", (), 1.0, requires_grad=False),
            values("x", (2,), 3.0, 4.0, requires_grad=False),
            values("w", (), 2.0),
        ),
        start=NO_BACKWARD_START,
        checked="-",
        fails=True,
    ),
    Scene(
        id="step-too-early",
        title="A step before the second pass",
        group=_GROUP,
        summary=(
            "Two losses use one parameter. The optimizer changes it in place after the first "
            "pass, and the second pass still needs the value from before."
        ),
        module=module("step_too_early"),
        callable_name="step_before_the_second_pass",
        inputs=(values("w", (), 3.0),),
        start=NO_BACKWARD_START,
        checked="-",
        fails=True,
    ),
    Scene(
        id="history-cut",
        title="A history that ends",
        group=_GROUP,
        summary=(
            "The loss counts how many scores are above a limit. See where the history ends, so "
            "that backward has nowhere to start."
        ),
        module=module("history_cut"),
        callable_name="count_as_a_loss",
        inputs=(
            values("x", (3,), 1.0, 2.0, 3.0, requires_grad=False),
            values("w", (), 2.0),
        ),
        start=NO_BACKWARD_START,
        checked="-",
        fails=True,
    ),
    Scene(
        id="layers-in-list",
        title="Layers in a plain list",
        group=_GROUP,
        summary=(
            "A module keeps two of its layers in a Python list. They get gradients, but the "
            "optimizer updates only the third layer."
        ),
        module=module("layers_in_list"),
        callable_name="train_once",
        inputs=(values("x", (), 1.0, requires_grad=False),),
        start=NO_BACKWARD_START,
        checked="-",
    ),
    Scene(
        id="nan-masked",
        title="NaN behind a mask",
        group=_GROUP,
        summary=(
            "A mask leaves out the root of 0, and the result is right. Its gradient is NaN: "
            "backward multiplies the infinite slope of the root by 0."
        ),
        module=module("nan_masked"),
        callable_name="mask_the_root",
        inputs=(values("x", (3,), 0.0, 1.0, 4.0),),
        start=NO_BACKWARD_START,
        checked="-",
    ),
)
