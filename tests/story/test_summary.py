"""The end of a lesson: every stop in a row, readable, with nothing cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.lesson.reading import read_lesson
from gradviz.lesson.shipped import LESSONS, handout_command, shipped_path
from gradviz.lesson.stop_runs import checked_runs
from gradviz.resource import resource_path
from gradviz.story.blocks import bounds_of, text_block
from gradviz.story.frame import Drawn, Frame
from gradviz.story.summary import summary_frames
from gradviz.story.thumbnail import stop_picture
from tests.story.shipped import faults_of, shipped_run, texts


def rows(frame: Frame) -> list[str]:
    """The texts of each row."""
    found: dict[str, list[str]] = {}
    for text, _, drawn in texts(frame):
        if drawn.key.startswith("summary:"):
            found.setdefault(drawn.key.split(":")[1], []).append(text)
    return [" | ".join(each) for each in found.values()]


def pictures(frame: Frame) -> dict[str, list[Drawn]]:
    """The objects of the picture of each row."""
    found: dict[str, list[Drawn]] = {}
    for each in frame.drawn:
        if each.key.startswith("picture:"):
            found.setdefault(each.key.split(":")[1], []).append(each)
    return found


def lesson_of(*stops: LessonStop) -> Lesson:
    return Lesson(title="Rules", stops=stops)


def test_each_stop_has_its_headline_and_the_first_sentence_of_its_answer() -> None:
    (frame,) = summary_frames(
        lesson_of(
            LessonStop(headline="One", question="How many?", answer="{{12|exp: x}}. It is even."),
            LessonStop(headline="Two", question="Why?", solution="As in e.g. Exp. More.\n\nLong."),
            LessonStop(scene="linear"),
            LessonStop(trace="own.gradviz", answer="对。也对。"),
        ),
        {},
    )
    assert [text for text, _, _ in texts(frame)][:2] == ["Rules", "What we have seen"]
    assert rows(frame) == [
        "One | 12.",
        "Two | As in e.g. Exp.",
        "linear",
        "own.gradviz | 对。",
    ]
    assert frame.spoken.startswith("What we have seen\nOne: 12.\n")


def test_many_long_rows_go_on_on_further_pages() -> None:
    stops = [
        LessonStop(headline=f"{at} {'head ' * at}", answer=f"{'word ' * 3 * at}end{at}")
        for at in range(40)
    ]
    frames = summary_frames(lesson_of(*stops), {})
    assert len(frames) > 2
    told = " ".join(text for frame in frames for text, _, _ in texts(frame))
    assert [at for at in range(40) if f"end{at}" not in told] == []
    for at, frame in enumerate(frames):
        assert faults_of(frame, (20.0, 20.0)) == []
        rings = [each for each in frame.drawn if each.key.startswith("dot:40:")]
        assert len(rings) == len(frames), f"page {at} has a segment for each page"


@pytest.mark.parametrize("language", ["en", "de", "zh"])
@pytest.mark.parametrize("name", LESSONS)
def test_a_shipped_lesson_has_one_line_for_each_stop(name: str, language: str) -> None:
    path = resource_path("lessons") / language / f"{name}.gradviz-lesson"
    lesson = read_lesson(path)
    command = handout_command(path)
    assert command == f"gradviz export {name} -o handout.pdf"
    frames = summary_frames(lesson, {}, command=command)
    assert sum(len(rows(each)) for each in frames) == len(lesson.stops)
    assert command in texts(frames[-1])[-1][0]
    for frame in frames:
        assert faults_of(frame, (20.0, 20.0)) == []


@pytest.mark.parametrize("name", LESSONS)
def test_each_stop_of_a_shipped_lesson_has_its_picture_beside_it(name: str, tmp_path: Path) -> None:
    lesson = read_lesson(shipped_path(name))
    seen = {}
    for stop in lesson.stops:
        with shipped_run(stop, checked_runs(lesson), tmp_path) as run:
            seen[stop] = stop_picture(stop, run)
    found = {}
    for frame in summary_frames(lesson, seen):
        shown = pictures(frame)
        beside = {
            drawn.key.split(":")[1]: drawn
            for _, _, drawn in reversed(texts(frame))
            if drawn.key.startswith("summary:")
        }
        for number, drawn in shown.items():
            area = bounds_of(drawn)
            assert min(area.width, area.height) > 12, number
            assert area.right < beside[number].x
        in_pictures = [each for each in texts(frame) if each[2].key.startswith("picture:")]
        assert [text for text, size, _ in in_pictures if size < 8] == []
        found |= shown
    assert len(found) == len(lesson.stops)


def test_a_stop_that_was_not_shown_leaves_its_place_empty() -> None:
    one, two = LessonStop(headline="One"), LessonStop(headline="Two")
    (frame,) = summary_frames(
        lesson_of(one, two), {one: text_block("1", 36, key="a", style="title")}
    )
    assert list(pictures(frame)) == ["0"]
    first, second = (each for _, _, each in texts(frame) if each.key.startswith("summary:"))
    assert first.x == second.x > pictures(frame)["0"][0].x
    assert frame.spoken == "What we have seen\nOne\nTwo"


@pytest.mark.parametrize("page", ["https://example.org/a?b=1&c=2", "http://a.b/" + "x" * 200])
def test_the_last_page_leads_to_the_page_of_the_lesson(page: str) -> None:
    stops = [LessonStop(headline=f"{at}", answer="word " * 60) for at in range(20)]
    lesson = Lesson(title="A", page=page, stops=tuple(stops))
    *others, last = summary_frames(lesson, {}, command="not this")
    assert not any(each.link for frame in others for each in frame.drawn)
    (link,) = (each for each in last.drawn if each.link)
    assert link.link == page
    lines = [text for text, _, drawn in texts(last) if drawn is link]
    assert "".join(lines).replace(" ", "") == f"Continueathome:{page}"
    rows_end = max(each.y for each in last.drawn if each.key.startswith("summary:"))
    assert rows_end + 22 < link.y < bounds_of([link]).bottom < last.height - 34
    assert last.spoken.endswith(page)


def test_own_lessons_have_no_command() -> None:
    assert handout_command(Path("lecture.gradviz-lesson")) == ""


def test_a_lesson_fits_a_narrow_stage() -> None:
    long = LessonStop(headline="A headline of many words " * 3, answer="An answer " * 20)
    for frame in summary_frames(lesson_of(*[long] * 9), {}, (720.0, 720.0)):
        assert faults_of(frame, (20.0, 20.0)) == []
        assert all(drawn.x < 720 - 56 for drawn in frame.drawn)
