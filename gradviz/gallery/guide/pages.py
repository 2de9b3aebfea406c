"""Guide pages, loaded from the resources."""

from __future__ import annotations

from functools import cache

from gradviz.gallery.guide.blocks import read_page
from gradviz.gallery.guide.contents import PAGES, chapter_of
from gradviz.gallery.guide.page import Page
from gradviz.resource import resource_path


def text_of(name: str) -> str:
    """Load a page's Markdown source.

    Raises:
        UnknownPageError: If there is no page of that name.
        FileNotFoundError: If its file is missing.
    """
    chapter_of(name)
    return resource_path(f"guide/{name}.md").read_text(encoding="utf-8")


@cache
def page(name: str) -> Page:
    """Load and parse a page; the result is cached.

    Raises:
        UnknownPageError: If there is no page of that name.
        FileNotFoundError: If its file is missing.
        GuideError: If its markup is invalid.
    """
    return read_page(name, text_of(name))


def title_of(name: str) -> str:
    """Title of a page, taken from its first line without parsing the page."""
    return text_of(name).partition("\n")[0].removeprefix("#").strip()


def written() -> tuple[str, ...]:
    """Names of the existing pages, in order."""
    folder = resource_path("guide")
    return tuple(name for name in PAGES if (folder / f"{name}.md").is_file())
