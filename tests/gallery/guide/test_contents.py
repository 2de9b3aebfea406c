"""The guide's pages: one for each scene, in one order."""

from __future__ import annotations

import pytest

from gradviz.gallery.guide.contents import (
    CHAPTERS,
    PAGES,
    UnknownPageError,
    chapter_of,
    neighbours,
)
from gradviz.gallery.registry import SCENES


def test_every_scene_has_one_page() -> None:
    pages = [page for chapter in CHAPTERS for page in chapter.scenes]
    assert sorted(pages) == sorted(scene.id for scene in SCENES)


def test_pages_are_walked_from_first_to_last() -> None:
    page: str | None = PAGES[0]
    walked = []
    while page is not None:
        walked.append(page)
        page = neighbours(page)[1]
    assert walked == list(PAGES)
    assert [neighbours(page)[0] for page in PAGES] == [None, *PAGES[:-1]]


def test_a_page_knows_its_chapter() -> None:
    assert chapter_of("cube").id == "differentiate-twice"
    assert chapter_of("check-it").id == "check-it"
    with pytest.raises(UnknownPageError, match="no page 'cub'"):
        chapter_of("cub")
