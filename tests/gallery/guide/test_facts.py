"""Every number in the guide equals the recorded scene's, and every link resolves."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.position.position_paths import UnknownPositionError, position_at_path
from gradviz.document.facts.step_facts import title_of as title_of_step
from gradviz.gallery.guide import pages
from gradviz.gallery.guide.contents import PAGES
from gradviz.gallery.guide.facts import FACT, facts_in
from gradviz.gallery.guide.page import (
    CodeBlock,
    EmphasizedText,
    InlineCode,
    Link,
    PageHeading,
    PageSpan,
    PlainWords,
    RunFact,
)
from gradviz.gallery.guide.pages import page, page_names, page_text, page_title
from gradviz.gallery.guide.traversal import plain_text, runs_of, spans_in
from gradviz.gallery.registry import SCENES
from gradviz.lesson.selection import find_node
from gradviz.lesson.shipped import LESSONS, shipped_lesson
from tests.sweeps import thinned
from tools.guide.query import QueryError, answer
from tools.guide.recordings import Recordings

IDS = {each.id for each in SCENES}
CHECKED = {each.id for each in SCENES if each.can_be_checked}
PANELS = {
    *("graph", "jacobians", "compare", "training"),
    *("library", "outline", "inputs", "source", "ops", "console", "doctor"),
    *("breakpoints", "story", "changes", "inspector", "lesson"),
}

_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w])")
_VALUE = re.compile(r"[\[\]()\d.,\s+×-]*")
_SMALL = {"0", "1", "2"}
"""They count and point: a test that asked for a recording of each would be noise."""

UNRECORDED = {
    "when-to-use": "8",  # Bits of a format.
    "linear": "36",  # A product of shapes.
    "linear-split": "400 600",  # Products of shapes.
    "linear-wrapped": "2.13",  # The version of torch that was tried.
    "non-differentiable": "0.0 1.0",  # What a mask of floats would hold.
    "check-it": "3 4",  # Sizes that are recommended.
    # What is true, what another input would give, and the term that the cut loses.
    "differentiate-twice": "8 20 48 2496 8576",
    "cube-wrong": "12 48 6",  # What is true, and the terms of it.
    "cube-once": "12 48 2.13",  # Likewise, and the version that was tried.
    "common-mistakes": "48 77",  # What is true; a shape that was tried.
    "linear-squeeze-one": "13",  # A rule.
    "mark-dirty": "2.13",  # The version that was tried.
    "mark-dirty-unmarked": "5",  # A rule.
    "saved-changed": "4 6",  # What silent gradients would be.
    "carried-state": "150",  # What the remedy gives.
    "step-too-early": "33",
    "layers-in-list": "0.5 4",
    "constant-term": "153",
    "number-in-loss": "8",
    "still-scaled": "6",
    "scalar-tensor": "4 5",  # Steps.
}
"""Numbers in the text that are neither a fact nor stand in one of the same page, and why."""


def numbers_of(text: str) -> set[str]:
    return set(re.findall(r"\d+(?:\.\d+)?", text))


def words_of(spans: tuple[PageSpan, ...]) -> Iterator[str]:
    """The text that a reader sees as prose."""
    for span in spans:
        if isinstance(span, PlainWords):
            yield span.text
        elif isinstance(span, InlineCode):
            # A value in code is read as a number, a program is not.
            text = plain_text(tuple(each for each in span.parts if isinstance(each, PlainWords)))
            yield text if _VALUE.fullmatch(text) else ""
        elif isinstance(span, EmphasizedText):
            yield from words_of(span.spans)


def test_a_title_is_found_without_making_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_row(declared: object) -> str:
        raise AssertionError

    title = page("linear").title
    monkeypatch.setattr(pages, "_rule_row", no_row)
    assert page_title("linear") == title


def test_every_page_is_there_and_has_a_title_of_its_own() -> None:
    assert page_names() == PAGES
    titles = [page_title(name) for name in PAGES]
    assert len(set(titles)) == len(titles)
    assert titles == [page(name).title for name in PAGES]


@pytest.mark.parametrize("name", thinned(page_names()))
def test_every_fact_is_what_was_recorded(name: str, recordings: Recordings) -> None:
    wrong = []
    for line, fact in facts_in(page_text(name)):
        try:
            expected = answer(fact.query, name, recordings)
        except QueryError as error:
            expected = f"no answer: {error}"
        if fact.text != expected:
            wrong.append(f"{name}.md:{line}: {fact.query}: {fact.text!r}, recorded: {expected!r}")
    assert wrong == [], "make guide fills in what was recorded"


@pytest.mark.parametrize("name", page_names())
def test_every_number_in_the_text_is_recorded_or_excused(name: str) -> None:
    recorded = {
        number
        for _, fact in facts_in(page_text(name))
        for number in numbers_of(fact.text) | numbers_of(fact.query)
    }
    loose = set()
    for block in page(name).blocks:
        # A heading numbers its rule; what stands in code is shown as it is written.
        if isinstance(block, CodeBlock | PageHeading):
            continue
        for run in runs_of(block):
            for text in words_of(run):
                loose |= set(_NUMBER.findall(text))
    rules = set(map(str, range(14))) if name == "common-mistakes" else set()
    assert loose - recorded - _SMALL - rules == set(UNRECORDED.get(name, "").split())


@pytest.mark.parametrize("name", page_names())
def test_every_link_leads_to_what_it_says(name: str, recordings: Recordings) -> None:
    links = [(block.line, each) for block in page(name).blocks for each in spans_in(block)]
    wrong = [
        f"{name}.md:{line}: {link.kind}:{link.target}: {problem}"
        for line, link in links
        if isinstance(link, Link) and (problem := problem_of(link, name, recordings))
    ]
    assert wrong == []


@pytest.mark.parametrize("name", LESSONS)
def test_every_stop_of_a_lesson_shows_what_it_says(name: str, recordings: Recordings) -> None:
    for stop in shipped_lesson(name).stops:
        assert stop.scene in IDS
        assert not stop.check or stop.scene in CHECKED
        assert stop.check == any(
            each.check for each in shipped_lesson(name).stops if each.scene == stop.scene
        )
        assert not stop.compare or stop.compare in IDS
        index = recordings.run(stop.scene)
        position_at_path(index, stop.step)
        if stop.select:
            assert find_node(index, stop.select) is not None
        assert bool(stop.solution) == bool(stop.question)
        text = f"{stop.headline} {stop.question} {stop.solution} {stop.notes}"
        for _, fact in facts_in(text):
            assert answer(fact.query, "", recordings) == fact.text
        # Every number in a text of a lesson comes from a recording.
        assert not _NUMBER.findall(re.sub(FACT, "", text, flags=re.DOTALL))


def test_the_lecture_takes_45_minutes_and_the_others_are_short() -> None:
    lecture, *short = (shipped_lesson(name) for name in LESSONS)
    assert lecture.minutes == 45
    assert len(short) == 5
    assert all(each.minutes <= 20 and all(s.minutes for s in each.stops) for each in short)


def problem_of(link: Link, name: str, recordings: Recordings) -> str:
    """What is wrong with a link, or nothing."""
    match link.kind:
        case "step":
            return problem_of_step(link, name, recordings)
        case "scene" | "compare":
            return "" if link.target in IDS else "there is no such scene"
        case "page":
            return "" if link.target in PAGES else "there is no such page"
        case "check":
            good = link.target in ("1", "2") and (name in CHECKED or name not in IDS)
            return "" if good else "there is nothing to check"
        case "show":
            return "" if link.target in PANELS else "there is no such panel"


def problem_of_step(link: Link, name: str, recordings: Recordings) -> str:
    if name not in IDS:
        return "a chapter has no steps"
    index = recordings.run(name)
    try:
        place = position_at_path(index, link.target)
    except UnknownPositionError as error:
        return str(error)
    step = step_at(index, place.step)
    assert step is not None
    title = title_of_step(index, step)
    return "" if title == link.title else f"there is {title}, not {link.title or 'nothing'}"


def test_every_fact_is_shown() -> None:
    for name in page_names():
        shown = [
            each
            for block in page(name).blocks
            for each in spans_in(block)
            if isinstance(each, RunFact)
        ]
        assert shown == [fact for _, fact in facts_in(page_text(name))], name


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("value weight", "[[0, 1, 2], [3, 4, 5]]"),
        ("value weight[1, 0]", "3"),
        ("value weight as .1f", "[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]"),
        ("grad weight as matrix", r"\begin{bmatrix} 2 & 2 & 2 \\ 4 & 4 & 4 \end{bmatrix}"),
        ("value grad_weight at 5/backward/line6", "[[2, 2, 2], [4, 4, 4]]"),
        ("shape of step 5 returned weight", "2×3"),
        ("step 5 returned bias", "None"),
        ("version of value weight", "0"),
        ("dtype of value weight", "float64"),
        ("steps", "8"),
        ("title 5", "LinearFunction.backward"),
        ("printed 1", "output:"),
        ("check verdict", "match"),
        ("linear-wrong: check wrong weight", "6"),
        ("linear-wrong: check count weight", "36"),
        ("linear-wrong: check worst weight", "weight[1, 0]"),
        ("linear-wrong: check analytical weight", "2"),
        ("linear-wrong: check numerical weight", "1"),
        ("saved-changed: error kind", "RuntimeError"),
    ],
)
def test_a_query_is_answered_from_the_recorded_scene(
    query: str, text: str, recordings: Recordings
) -> None:
    assert answer(query, "linear", recordings) == text


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("value nobody", "nothing is called nobody"),
        ("step 99 input x", "there is no step 99"),
        ("step 1 input x", "step 1 has no input x; there is input, weight, bias"),
        ("nowhere: steps", "there is no scene nowhere"),
        ("what is it", "names no value"),
        ("error", "the run raised nothing"),
        ("finding thing", "no thing was found"),
        ("printed 999", "the run printed"),
        ("check wrong bias", "bias was not checked"),
        ("value weight as fine", "numbers are not written as fine"),
        ("value input at 5/backward/line77", "line77"),
    ],
)
def test_a_query_without_an_answer_says_why(
    query: str, problem: str, recordings: Recordings
) -> None:
    with pytest.raises(QueryError, match=re.escape(problem)):
        answer(query, "linear", recordings)
