"""How much a page counts in the site's search."""

from __future__ import annotations

from pathlib import Path

from gradviz.catalogue.error_pages import ERROR_PAGES
from gradviz.gallery.guide.contents import CHAPTERS
from tools.site.sources import TRANSLATIONS

_CHAPTERS = {*(chapter.id for chapter in CHAPTERS), *ERROR_PAGES.values()}
"""Pages about errors count like chapters: their titles are what one has read before searching."""
_FOLDERS = {
    **{"tutorials": 3.0, "explanation": 3.0, "gallery": 0.25, "guide": 0.5},
    **{"project": 0.1, "contributing": 0.1},
}
_CHAPTER, _ELSEWHERE = 1.0, 2.0
"""Titles of scenes and rules say what goes wrong, and those of other pages what one wants to do."""


def weigh_pages(folder: Path) -> None:
    """Write its weight above each page in a folder, for Material's search.

    A README in another language is left out: search shows pages of one language.
    """
    for path in folder.rglob("*.md"):
        place = path.relative_to(folder).parts[0]
        is_chapter = place == "guide" and path.stem in _CHAPTERS
        weight = _CHAPTER if is_chapter else _FOLDERS.get(place, _ELSEWHERE)
        setting = "exclude: true" if place in TRANSLATIONS else f"boost: {weight}"
        text = path.read_text(encoding="utf-8")
        path.write_text(f"---\nsearch:\n  {setting}\n---\n\n{text}", encoding="utf-8")
