"""Opens a page in Chromium, and reads what it shows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

PATIENCE_MS = 60_000
"""How long a page may take on a busy machine, as a window may."""


def opened(tab: Any, path: Path, page: str, place: str = "") -> Any:
    path.write_text(page, encoding="utf-8")
    tab.goto(f"{path.as_uri()}#{place}")
    return tab


def wait_until(tab: Any, expression: str) -> None:
    """Wait until an expression is true in the page.

    ``wait_for_function`` would evaluate it by ``eval``, which the page's policy forbids.
    """
    for _ in range(PATIENCE_MS // 50):
        if tab.evaluate(expression):
            return
        tab.wait_for_timeout(50)
    raise AssertionError(f"not true after {PATIENCE_MS} ms: {expression}")


def sentence(tab: Any) -> str:
    return str(tab.locator("#sentence").text_content())


def numbers(tab: Any, section: str) -> list[list[str]]:
    """The numbers shown in a section, one list for each value."""
    items = tab.locator(f".{section} .value").all()
    return [item.locator("td").all_text_contents() for item in items]


def shown_names(tab: Any) -> list[str]:
    names: list[str] = tab.locator("#values b").all_text_contents()
    return names


def values_shown(data: Any, place: Any) -> list[tuple[str, Any]]:
    """The values of a place in the data of a page, each with the key of its section."""
    sections = [data["sections"][each] for each in place["sections"]]
    return [
        (section["key"], value)
        for section in sections
        for row in section["rows"]
        for value in ([row["before"], row["after"]] if "before" in row else [row])
    ]


def data_of(page: str) -> Any:
    """What the script of a page reads."""
    (island,) = re.findall(r'<script type="application/json" id="run">(.*?)</script>', page, re.S)
    return json.loads(island)
