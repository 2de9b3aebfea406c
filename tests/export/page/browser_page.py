"""Opens a page in Chromium, and reads what it shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def opened(tab: Any, path: Path, page: str, place: str = "") -> Any:
    path.write_text(page, encoding="utf-8")
    tab.goto(f"{path.as_uri()}#{place}")
    return tab


def wait_until(tab: Any, expression: str) -> None:
    """Wait until an expression is true in the page.

    ``wait_for_function`` would evaluate it by ``eval``, which the page's policy forbids.
    """
    for _ in range(200):
        if tab.evaluate(expression):
            return
        tab.wait_for_timeout(50)
    raise AssertionError(f"not true after 10 s: {expression}")


def sentence(tab: Any) -> str:
    return str(tab.locator("#sentence").text_content())


def numbers(tab: Any, section: str) -> list[list[str]]:
    """The numbers shown in a section, one list for each value."""
    items = tab.locator(f".{section} .value").all()
    return [item.locator("td").all_text_contents() for item in items]


def flat(values: Any) -> list[float]:
    return [each for row in values for each in flat(row)] if isinstance(values, list) else [values]
