"""Scenes about changing a tensor in place."""

from __future__ import annotations

from gradviz.gallery.scene import NO_BACKWARD_START, Scene, SceneGroup, values

_SCENES = (
    Scene(
        id="mark-dirty",
        title="Double in place, marked",
        summary=(
            "The input is doubled in place and declared with mark_dirty. The result is "
            "the input itself, and its version goes from 0 to 2."
        ),
        program="mark_dirty.through_the_old_name",
        inputs=(values("w", (3,), 1.0, 2.0, 3.0),),
        start=NO_BACKWARD_START,
        compare_with=("mark-dirty-unmarked",),
        checked="-",
    ),
    Scene(
        id="mark-dirty-unmarked",
        title="Double in place, unmarked",
        summary=(
            "The same without mark_dirty. The gradient through the old name is 1; the "
            "correct value is 2, and torch raises no error."
        ),
        program="mark_dirty_unmarked.through_the_old_name",
        inputs=(values("w", (3,), 1.0, 2.0, 3.0),),
        start=NO_BACKWARD_START,
        compare_with=("mark-dirty",),
        checked="-",
    ),
    Scene(
        id="saved-changed",
        title="A saved tensor changed",
        summary=(
            "A tensor saved for backward is changed in place before backward runs. See "
            "which line changed it, and how its version reveals it."
        ),
        program="saved_changed.change_too_early",
        inputs=(values("x", (2,), 1.0, 2.0),),
        start=NO_BACKWARD_START,
        checked="Square",
        fails=True,
    ),
)

GROUP = SceneGroup(id="in-place", title="Changed in place", scenes=_SCENES)
