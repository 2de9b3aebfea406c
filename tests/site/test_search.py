"""The search of the site finds the right page first for questions of newcomers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.export.page.conftest import chromium as chromium
from tests.site.questions import QUESTIONS

pytestmark = pytest.mark.sweep


def first_result(tab: Any, address: str, words: str) -> str:
    """Type words into the search and return the page of the first result."""
    field = tab.locator("input.md-search__input")
    field.click()
    field.fill(words)
    # The theme listens to keys.
    field.dispatch_event("keyup")
    result = tab.locator(".md-search-result__list > li > a").first
    tab.wait_for_timeout(400)
    if not result.count():
        return ""
    return str(result.get_attribute("href")).removeprefix(address).split("?")[0].split("#")[0]


@pytest.mark.parametrize("is_served", [True, False])
def test_each_question_finds_its_page_first(
    is_served: bool, chromium: Any, site_address: str, built_site: Path
) -> None:
    address = site_address if is_served else f"{built_site.as_uri()}/"
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    tab = context.new_page()
    tab.goto(f"{address}index.html")
    found = {words: first_result(tab, address, words) for words in QUESTIONS}
    context.close()
    assert len(QUESTIONS) >= 30
    assert found == QUESTIONS


def test_no_page_is_wider_than_a_phone(chromium: Any, site_address: str) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844})
    tab = context.new_page()
    wide = {}
    for name in sorted({*QUESTIONS.values(), "gallery/linear.html", "guide/check-it.html"}):
        tab.goto(f"{site_address}{name}")
        width = tab.evaluate("document.scrollingElement.scrollWidth")
        if width > 390:
            wide[name] = width
    context.close()
    assert wide == {}
