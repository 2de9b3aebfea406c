"""Chromium for the tests of the page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tests.export.page.browser_page import PATIENCE_MS

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    if CHROMIUM is None:
        pytest.skip("needs chromium")
    with sync_api.sync_playwright() as playwright:
        # As root, Chromium does not start with its sandbox.
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium: Any) -> Iterator[Any]:
    """A tab without network, in which an error or a violation of the policy fails the test."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, offline=True)
    context.set_default_timeout(PATIENCE_MS)
    page, trouble = context.new_page(), []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("console", lambda message: trouble.append(message.text))
    page.on(
        "request",
        lambda request: trouble.append(request.url) if request.url[:5] != "file:" else None,
    )
    yield page
    context.close()
    assert trouble == []
