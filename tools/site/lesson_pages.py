"""The lessons of the site: a page for each, with links to the steps in the pages of the scenes."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from gradviz.gallery.registry import scene
from gradviz.lesson.facts import shown_text
from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.lesson.shipped import LESSONS, shipped_lesson
from tools.site.guide_markdown import plain_heading
from tools.site.words import site_text


def lesson_pages() -> dict[str, str]:
    """The Markdown of all lessons by their names, for a folder inside that of the scenes."""
    return {name: lesson_page(shipped_lesson(name)) for name in LESSONS}


def lesson_links(folder: str) -> str:
    """A list of links to the lessons.

    Args:
        folder: Path of their folder from the page with the links.
    """
    lessons = ((name, shipped_lesson(name)) for name in LESSONS)
    return "\n".join(
        f"- [{lesson.title}]({folder}/{name}.md): "
        + site_text("lesson", stops=len(lesson.stops), minutes=lesson.minutes)
        for name, lesson in lessons
    )


def checked_scenes() -> set[str]:
    """Ids of the scenes whose Jacobians a lesson shows."""
    stops = (stop for name in LESSONS for stop in shipped_lesson(name).stops)
    return {stop.scene for stop in stops if stop.tab == "jacobians"}


def lesson_page(lesson: Lesson) -> str:
    """Write a lesson as Markdown: its stops with their questions, links and hidden answers."""
    parts = [f"# {plain_heading(shown_text(lesson.title))}"]
    for number, stop in enumerate(lesson.stops, 1):
        parts += _stop_parts(number, stop)
    return "\n\n".join(parts) + "\n"


def _stop_parts(number: int, stop: LessonStop) -> Iterator[str]:
    yield f"## {number}. {plain_heading(shown_text(stop.headline))}"
    if stop.question:
        yield f"<p><strong>{escape(shown_text(stop.question))}</strong></p>"
    yield f"<p>{', '.join(_links(stop))}</p>"
    told = stop.solution or stop.notes
    if told:
        paragraphs = (escape(each) for each in shown_text(told).split("\n\n"))
        inside = "".join(f"<p>{each}</p>" for each in paragraphs)
        head = site_text("answer" if stop.question else "explanation")
        yield f"<details><summary>{head}</summary>{inside}</details>"


def _links(stop: LessonStop) -> Iterator[str]:
    """Links to what the stop shows, in the pages of its scenes."""
    place = "jacobians" if stop.tab == "jacobians" else stop.step
    yield _link(stop.scene, place)
    if stop.compare:
        yield _link(stop.compare, place)


def _link(scene_id: str, place: str) -> str:
    key = "jacobians" if place == "jacobians" else "step"
    text = site_text(key, title=escape(scene(scene_id).display_title), place=place)
    return f'<a href="../runs/{scene_id}.html#{place}">{text}</a>'
