"""A page in another language has the facts, links, code and headings of the English one."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from gradviz.catalogue.language import available_languages, load_language
from gradviz.catalogue.rules import doctor_rule
from gradviz.gallery.guide.pages import page, page_names, page_source
from tests.gallery.guide.translated_facts import wrong_facts
from tools.guide.query import answer
from tools.guide.recordings import Recordings

OTHERS = available_languages()[1:]
_CODE = re.compile(r"```.*?```", re.DOTALL)
_KEPT = {
    "facts": re.compile(r"\|([^{}|]*)\}\}"),
    "links": re.compile(r"\]\(([^)]*)\)"),
    "code": re.compile(r"`[^`\n]+`"),
    "formulas": re.compile(r"\$\$.*?\$\$|\$[^$]+\$", re.DOTALL),
    "comments": re.compile(r"<!--.*?-->"),
    "headings": re.compile(r"^#+ ", re.MULTILINE),
    "items": re.compile(r"^(?:- |\d+\. )", re.MULTILINE),
    "rows": re.compile(r"^\|", re.MULTILINE),
}


def kept_parts(source: str) -> dict[str, Counter[str]]:
    """What a translation leaves as it is, by its kind."""
    text = _CODE.sub("", source)
    found = {kind: Counter(pattern.findall(text)) for kind, pattern in _KEPT.items()}
    return {**found, "blocks": Counter(_CODE.findall(source))}


@pytest.mark.parametrize("language", OTHERS)
def test_it_says_the_same_with_the_same_facts(language: str) -> None:
    for name in page_names():
        if doctor_rule(name) is None:
            english, translated = page_source(name, "en"), page_source(name, language)
            assert translated != english, name
            assert kept_parts(translated) == kept_parts(english), name
            assert page(name, language).title != "", name


def test_other_numbers_and_links_are_found() -> None:
    english = kept_parts("# A\n{{2|query}} [in `x`](step:5) is $y$")
    assert kept_parts("# B\n$y$: {{2|query}} [von `x`](step:5)") == english
    for wrong in (
        "# A\n{{2|other}} [in `x`](step:5) is $y$",
        "# A\n{{2|query}} [in `x`](step:6) $y$",
    ):
        assert kept_parts(wrong) != english


@pytest.mark.parametrize("language", OTHERS)
def test_its_facts_are_numbers_as_in_english_and_words_of_its_language(
    language: str, tmp_path: Path
) -> None:
    load_language(language)
    # A trace stores its findings and diagnoses in the language of its recording.
    recordings = Recordings(tmp_path)
    try:
        for name in page_names():
            if doctor_rule(name) is None:
                sentence = partial(answer, page=name, recordings=recordings)
                sources = (page_source(name, each) for each in ("en", language))
                assert wrong_facts(*sources, sentence) == [], f"{name}: run make guide"
    finally:
        recordings.close()
        load_language("en")


def test_a_wrong_fact_is_found() -> None:
    assert wrong_facts("{{2|a}} {{3|b}}", "{{3|b}}, {{2|a}}") == []
    assert wrong_facts("{{2|a}}", "{{3|a}}") == ["a: 2", "a: 3"]
    assert wrong_facts("{{2|a}} {{2|a}}", "{{2|a}}") == ["a: 2"]
