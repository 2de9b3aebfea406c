"""Finds the pages of the guide among the resources, and reads them."""

from __future__ import annotations

from functools import cache

from gradviz.gallery.guide.blocks import read_page
from gradviz.gallery.guide.contents import PAGES, chapter_of
from gradviz.gallery.guide.page import Page
from gradviz.resource import resource_path


def text_of(name: str) -> str:
    """The text of a page as it was written.

    Raises:
        UnknownPageError: If there is no page of that name.
        FileNotFoundError: If its file is missing.
    """
    chapter_of(name)
    return resource_path(f"guide/{name}.md").read_text(encoding="utf-8")


@cache
def page(name: str) -> Page:
    """A page, read once.

    Raises:
        UnknownPageError: If there is no page of that name.
        FileNotFoundError: If its file is missing.
        GuideError: If it is not written as our pages are.
    """
    return read_page(name, text_of(name))


def title_of(name: str) -> str:
    """The title of a page, for which only the first line is looked at."""
    return text_of(name).partition("\n")[0].removeprefix("#").strip()


def written() -> tuple[str, ...]:
    """The names of the pages that are there, in order."""
    folder = resource_path("guide")
    return tuple(name for name in PAGES if (folder / f"{name}.md").is_file())
