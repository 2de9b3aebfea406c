"""What must be recorded for the stops of a lesson."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from gradviz.analysis.compare.shared_inputs import with_inputs_of
from gradviz.gallery.registry import UnknownSceneError, offer_of, scene
from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.model.inputs import Offer


def missing_runs(lesson: Lesson, stops: Sequence[LessonStop]) -> dict[str, Offer]:
    """Return what to run for stops of a lesson, by name, except for what the lesson embeds.

    Scenes that do not exist are left out.
    """
    embedded = {name for name, _ in lesson.traces}
    found: dict[str, Offer] = {}
    for stop in stops:
        with suppress(UnknownSceneError):
            # One at a time, so that what comes before an unknown scene is kept.
            found.update(each for each in stop_offers(stop) if each[0] not in embedded)
    return found


def stop_offers(stop: LessonStop) -> Iterator[tuple[str, Offer]]:
    """Find what is run for a stop: its scene and the one that it is compared with, by name.

    Raises:
        UnknownSceneError: If a scene does not exist.
    """
    own = offer_of(scene(stop.scene)) if stop.scene else None
    if own is not None:
        yield stop.run, own
    if stop.compared_run:
        other = offer_of(scene(stop.compare))
        # As the tab Compare does.
        yield stop.compared_run, other if own is None else with_inputs_of(other, own).offer


def checked_runs(lesson: Lesson) -> frozenset[str]:
    """Return the names of the runs of a lesson after which Jacobians are checked."""
    return frozenset(each.scene for each in lesson.stops if each.check)
