"""The scenes as values, readable without torch."""

from __future__ import annotations

from gradviz.catalogue.messages import say
from gradviz.catalogue.suggestion import did_you_mean
from gradviz.gallery.groups import (
    built_in_instead,
    engine,
    errors_of_autograd,
    faulty_functions,
    first_functions,
    in_place,
    modules,
    outside_autograd,
    second_derivatives,
    tensor_types,
)
from gradviz.gallery.scene import Scene
from gradviz.model.inputs import Offer, RunSubject

__all__ = ["FIRST_SCENE", "GROUPS", "SCENES", "Scene", "UnknownSceneError", "offer_of", "scene"]

GROUPS = (
    first_functions.GROUP,
    engine.GROUP,
    faulty_functions.GROUP,
    second_derivatives.GROUP,
    in_place.GROUP,
    outside_autograd.GROUP,
    errors_of_autograd.GROUP,
    modules.GROUP,
    tensor_types.GROUP,
    built_in_instead.GROUP,
)
"""All groups in library order."""

SCENES: tuple[Scene, ...] = tuple([scene for group in GROUPS for scene in group.scenes])
"""All scenes in this order."""

FIRST_SCENE = "linear"
"""Id of the scene that a window without files runs first."""


class UnknownSceneError(LookupError):
    """There is no scene with the requested id."""


def scene(scene_id: str) -> Scene:
    """Find a scene by its id.

    Raises:
        UnknownSceneError: If there is none.
    """
    for each in SCENES:
        if each.id == scene_id:
            return each
    ids = [each.id for each in SCENES]
    advice = did_you_mean(scene_id, ids) or say("target.scenes", names=", ".join(ids))
    problem = say("target.no_scene", scene=f"{scene_id!r:.60}")
    raise UnknownSceneError(f"{problem} {advice}")


def offer_of(scene: Scene) -> Offer:
    """Offer to run a scene on its own inputs."""
    return Offer(
        subject=RunSubject(scene=scene.id),
        title=scene.title,
        inputs=scene.inputs,
        start=scene.start,
    )
