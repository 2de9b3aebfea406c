"""The pages in ``docs``, with their examples."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    path.relative_to(DOCS).as_posix()
    for folder in ("", "tutorials", "how-to", "reference", "explanation")
    for path in (DOCS / folder).glob("*.md")
)
_BLOCK = re.compile(r"^```([\w-]+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def blocks(page: str) -> list[tuple[str, str, str]]:
    """Language, title and text of each code block of a page."""
    return _BLOCK.findall(text_of(page))


def titled_files() -> dict[str, str]:
    """The files that pages ask the reader to write."""
    found = [(title, text) for page in PAGES for _, title, text in blocks(page) if title]
    files = dict(found)
    assert len(files) == len(found)
    return files
