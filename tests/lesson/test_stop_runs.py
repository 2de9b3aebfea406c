"""What is recorded for a lesson, for the window as for slides and handouts."""

from __future__ import annotations

from gradviz.gallery.registry import offer_of, scene
from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.lesson.stop_runs import missing_runs
from gradviz.model.inputs import Offer


def runs_of(*stops: LessonStop) -> dict[str, Offer]:
    return missing_runs(Lesson(title="All", stops=stops), stops)


def test_a_compared_run_is_one_of_its_own_with_the_inputs_of_its_stop() -> None:
    stop = LessonStop(scene="linear", tab="compare", compare="linear-squeeze")
    own, other = runs_of(stop).values()
    assert own == offer_of(scene("linear"))
    assert other.subject == offer_of(scene("linear-squeeze")).subject
    assert other.inputs == own.inputs


def test_an_embedded_run_is_not_recorded() -> None:
    stops = (LessonStop(scene="exp"), LessonStop(scene="linear"))
    assert [*missing_runs(Lesson(title="All", stops=stops, traces=(("exp", b""),)), stops)] == [
        "linear"
    ]


def test_an_unknown_scene_leaves_the_others() -> None:
    unknown = LessonStop(scene="exp", tab="compare", compare="nowhere")
    gone = LessonStop(scene="nowhere")
    assert [*runs_of(unknown, gone, LessonStop(scene="linear"))] == ["exp", "linear"]
