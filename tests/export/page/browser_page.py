"""Opens a page in Chromium, and reads what it shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def opened(tab: Any, path: Path, page: str, place: str = "") -> Any:
    path.write_text(page, encoding="utf-8")
    tab.goto(f"{path.as_uri()}#{place}")
    return tab


def sentence(tab: Any) -> str:
    return str(tab.locator("#sentence").text_content())


def numbers(tab: Any, section: str) -> list[list[str]]:
    """The numbers shown in a section, one list for each value."""
    items = tab.locator(f".{section} .value").all()
    return [item.locator("td").all_text_contents() for item in items]


def flat(values: Any) -> list[float]:
    return [each for row in values for each in flat(row)] if isinstance(values, list) else [values]
