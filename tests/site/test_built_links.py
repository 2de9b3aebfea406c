"""Links of the built site lead to pages and places that exist, those in HTML included."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

_RUN = re.compile(r"gallery/runs/")


class _Page(HTMLParser):
    """Collects what a page links to and which anchors it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value and tag in ("a", "img", "script", "link"):
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


@pytest.mark.sweep
def test_every_link_leads_somewhere(built_site: Path) -> None:
    files = [path for path in built_site.rglob("*.html") if path.name != "404.html"]
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in files}
    assert len(pages) > 150
    broken = []
    for path, page in pages.items():
        for link in page.links:
            address, anchor = urldefrag(unquote(link))
            if re.match(r"[a-z]+:", address) or _RUN.search(path.as_posix()):
                continue
            target = (path.parent / address).resolve() if address else path
            # A page that steps reads the place from its address.
            is_place = target not in pages or _RUN.search(target.as_posix())
            if not target.exists() or (
                anchor and not is_place and anchor not in pages[target].anchors
            ):
                broken.append(f"{path.relative_to(built_site)}: {link}")
    assert broken == []
