"""Scenes in which a custom Function is not needed."""

from __future__ import annotations

from gradviz.gallery.scene import NO_BACKWARD_START, Scene, SceneGroup, values

_SCENES = (
    Scene(
        id="hook-instead",
        title="A hook instead",
        summary=(
            "A gradient should be changed on its way. A hook on the tensor halves it; no "
            "Function is needed."
        ),
        program="hook_instead.with_hook",
        inputs=(values("x", (2,), 1.0, 2.0),),
        start=NO_BACKWARD_START,
        compare_with=("hook-instead-without",),
        checked="-",
    ),
    Scene(
        id="hook-instead-without",
        title="Without the hook",
        summary=("The same without the hook: the unchanged gradient."),
        program="hook_instead.without_hook",
        inputs=(values("x", (2,), 1.0, 2.0),),
        start=NO_BACKWARD_START,
        compare_with=("hook-instead",),
        checked="-",
    ),
    Scene(
        id="module-instead",
        title="A module instead",
        summary=(
            "A number should be learned. A module with one parameter holds it; no "
            "Function is needed."
        ),
        program="module_instead.run",
        inputs=(values("x", (2,), 1.0, 2.0),),
        start=NO_BACKWARD_START,
        checked="-",
    ),
    Scene(
        id="builtin-instead",
        title="SiLU of your own",
        summary=(
            "A Function for something that torch already has. Compare it with torch: "
            "same values, same gradients."
        ),
        program="builtin_instead.SiLU",
        inputs=(values("x", (3,), -1.0, 0.0, 2.0),),
        compare_with=("builtin-instead-torch",),
    ),
    Scene(
        id="builtin-instead-torch",
        title="SiLU of torch",
        summary=("The function that torch provides: one node, and nothing to maintain."),
        program="builtin_instead.silu",
        inputs=(values("x", (3,), -1.0, 0.0, 2.0),),
        compare_with=("builtin-instead",),
    ),
)

GROUP = SceneGroup(id="built-in-instead", title="When not to write a Function", scenes=_SCENES)
