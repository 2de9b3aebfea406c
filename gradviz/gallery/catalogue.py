"""The scenes as values, readable where torch is not installed."""

from __future__ import annotations

from gradviz.gallery.groups import (
    engine,
    first,
    in_place,
    modules,
    no_need,
    twice,
    types,
    unseen,
    wrong,
)
from gradviz.gallery.scene import Scene
from gradviz.model.inputs import Offer, Subject

__all__ = ["SCENES", "Scene", "UnknownSceneError", "offer_of", "scene"]

SCENES: tuple[Scene, ...] = (
    *first.SCENES,
    *engine.SCENES,
    *wrong.SCENES,
    *twice.SCENES,
    *in_place.SCENES,
    *unseen.SCENES,
    *modules.SCENES,
    *types.SCENES,
    *no_need.SCENES,
)
"""In the order of the library; scenes of one group stand together."""


class UnknownSceneError(LookupError):
    """There is no scene with the id that was asked for."""


def scene(scene_id: str) -> Scene:
    """The scene of that id.

    Raises:
        UnknownSceneError: If there is none.
    """
    for each in SCENES:
        if each.id == scene_id:
            return each
    raise UnknownSceneError(
        f"There is no scene {scene_id!r:.60}; there are {', '.join(each.id for each in SCENES)}."
    )


def offer_of(scene: Scene) -> Offer:
    """What the library offers for a scene: to run it on its own inputs."""
    return Offer(
        subject=Subject(scene=scene.id),
        title=scene.title,
        inputs=scene.inputs,
        start=scene.start,
    )
