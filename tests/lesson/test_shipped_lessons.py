"""The shipped lessons are there in each language, with the same stops and facts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gradviz.catalogue.language import available_languages, load_language, use_language
from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.lesson.shipped import (
    LESSONS,
    is_shipped,
    shipped_lesson,
    shipped_path,
    shipped_version,
)
from tests.gallery.guide.translated_facts import wrong_facts

REMARK = re.compile(r"(?m)(?<=^code)([^:\n]*):.*| as [^}]+(?=})")
"""What is said below a line of code, and names that values get."""

TEXTS = ("headline", "question", "solution", "notes")


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    yield
    load_language("en")


def texts_of(stop: LessonStop) -> list[str]:
    return [getattr(stop, name) for name in TEXTS]


def without_texts(lesson: Lesson) -> Lesson:
    stops = (
        replace(
            each,
            headline="",
            question="",
            answer="",
            ask=REMARK.sub(r"\1", each.ask),
            solution="",
            notes="",
            show=tuple(REMARK.sub(r"\1", line) for line in each.show),
        )
        for each in lesson.stops
    )
    return replace(lesson, title="", stops=tuple(stops))


@pytest.mark.parametrize("language", available_languages()[1:])
@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_has_the_stops_and_facts_of_the_english_one(name: str, language: str) -> None:
    english = shipped_lesson(name)
    load_language(language)
    translated = shipped_lesson(name)
    assert without_texts(translated) == without_texts(english)
    assert translated.title != english.title
    for one, other in zip(english.stops, translated.stops, strict=True):
        for text, words in zip(texts_of(one), texts_of(other), strict=True):
            assert bool(text) == bool(words), one.headline
            assert text != words or not text, one.headline
            assert text.count("\n\n") == words.count("\n\n"), one.headline
            assert wrong_facts(text, words) == [], one.headline


def test_stops_that_lessons_share_say_the_same_in_each_language() -> None:
    for language in available_languages():
        load_language(language)
        solutions: dict[str, str] = {}
        for stop in (stop for name in LESSONS for stop in shipped_lesson(name).stops):
            assert solutions.setdefault(stop.headline, stop.solution) == stop.solution


def test_a_shipped_file_leads_to_the_one_of_the_current_language(tmp_path: Path) -> None:
    english, own = shipped_path("lecture"), tmp_path / "lecture.gradviz-lesson"
    load_language("de")
    german = shipped_path("lecture")
    assert german != english
    assert shipped_version(english) == shipped_version(german) == german
    assert is_shipped(german)
    assert is_shipped(english)
    assert shipped_version(own) == own
    use_language("xx", {})
    assert shipped_path("lecture") == english
