"""Scenes in which a custom Function is not needed."""

from __future__ import annotations

from gradviz.gallery.scene import NO_BACKWARD_START, Scene, SceneGroup, module, values

_GROUP = SceneGroup(id="built-in-instead", title="When not to write a Function")

SCENES: tuple[Scene, ...] = (
    Scene(
        id="hook-instead",
        title="A hook instead",
        group=_GROUP,
        summary=(
            "A gradient should be changed on its way. A hook on the tensor halves it; no "
            "Function is needed."
        ),
        module=module("hook_instead"),
        callable_name="with_hook",
        inputs=(values("x", (2,), 1.0, 2.0),),
        start=NO_BACKWARD_START,
        compare_with=("hook-instead-without",),
        checked="-",
    ),
    Scene(
        id="hook-instead-without",
        title="Without the hook",
        group=_GROUP,
        summary=("The same without the hook: the unchanged gradient."),
        module=module("hook_instead"),
        callable_name="without_hook",
        inputs=(values("x", (2,), 1.0, 2.0),),
        start=NO_BACKWARD_START,
        compare_with=("hook-instead",),
        checked="-",
    ),
    Scene(
        id="module-instead",
        title="A module instead",
        group=_GROUP,
        summary=(
            "A number should be learned. A module with one parameter holds it; no "
            "Function is needed."
        ),
        module=module("module_instead"),
        callable_name="run",
        inputs=(values("x", (2,), 1.0, 2.0),),
        start=NO_BACKWARD_START,
        checked="-",
    ),
    Scene(
        id="builtin-instead",
        title="SiLU of your own",
        group=_GROUP,
        summary=(
            "A Function for something that torch already has. Compare it with torch: "
            "same values, same gradients."
        ),
        module=module("builtin_instead"),
        callable_name="SiLU",
        inputs=(values("x", (3,), -1.0, 0.0, 2.0),),
        compare_with=("builtin-instead-torch",),
    ),
    Scene(
        id="builtin-instead-torch",
        title="SiLU of torch",
        group=_GROUP,
        summary=("The function that torch provides: one node, and nothing to maintain."),
        module=module("builtin_instead"),
        callable_name="silu",
        inputs=(values("x", (3,), -1.0, 0.0, 2.0),),
        compare_with=("builtin-instead",),
    ),
)
