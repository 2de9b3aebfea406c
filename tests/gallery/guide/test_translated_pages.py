"""A page in another language has the facts, links, code and headings of the English one."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from gradviz.catalogue.language import available_languages
from gradviz.catalogue.rules import doctor_rule
from gradviz.gallery.guide.pages import page, page_names, page_source

OTHERS = available_languages()[1:]
_CODE = re.compile(r"```.*?```", re.DOTALL)
_KEPT = {
    "facts": re.compile(r"\{\{.*?\}\}"),
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
    for wrong in ("{{3|query}} [in `x`](step:5) is $y$", "# A\n{{2|query}} [in `x`](step:6) $y$"):
        assert kept_parts(wrong) != english
