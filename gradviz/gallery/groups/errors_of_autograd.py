"""Scenes about messages of torch, and about parameters that do not learn."""

from __future__ import annotations

from gradviz.gallery.scene import NO_BACKWARD_START, Scene, SceneGroup, values

_SCENES = (
    Scene(
        id="carried-state",
        title="Backward a second time",
        summary=(
            "A state is carried into the next iteration, together with the graph of the last "
            "one. The second pass meets a node whose saved tensors are freed."
        ),
        program="carried_state.carry_the_state",
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
        summary=(
            "Two losses use one parameter. The optimizer changes it in place after the first "
            "pass, and the second pass still needs the value from before."
        ),
        program="step_too_early.step_before_the_second_pass",
        inputs=(values("w", (), 3.0),),
        start=NO_BACKWARD_START,
        checked="-",
        fails=True,
    ),
    Scene(
        id="history-cut",
        title="A history that ends",
        summary=(
            "The loss counts how many scores are above a limit. See where the history ends, so "
            "that backward has nowhere to start."
        ),
        program="history_cut.count_as_a_loss",
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
        summary=(
            "A module keeps two of its layers in a Python list. They get gradients, but the "
            "optimizer updates only the third layer."
        ),
        program="layers_in_list.train_once",
        inputs=(values("x", (), 1.0, requires_grad=False),),
        start=NO_BACKWARD_START,
        checked="-",
    ),
    Scene(
        id="nan-masked",
        title="NaN behind a mask",
        summary=(
            "A mask leaves out the root of 0, and the result is right. Its gradient is NaN: "
            "backward multiplies the infinite slope of the root by 0."
        ),
        program="nan_masked.mask_the_root",
        inputs=(values("x", (3,), 0.0, 1.0, 4.0),),
        start=NO_BACKWARD_START,
        checked="-",
    ),
)

GROUP = SceneGroup(id="errors", title="Errors of autograd", scenes=_SCENES)
