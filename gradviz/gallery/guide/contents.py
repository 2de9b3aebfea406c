"""The pages of the guide in teaching order."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.catalogue.error_pages import ERROR_PAGES
from gradviz.catalogue.messages import say
from gradviz.catalogue.rules import DOCTOR_RULES
from gradviz.catalogue.suggestion import did_you_mean

__all__ = [
    "CHAPTERS",
    "PAGES",
    "PROGRAM_PAGES",
    "Chapter",
    "UnknownPageError",
    "chapter_of",
    "neighbours",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A page that explains, and the pages of the scenes that show it.

    Attributes:
        id: Name of the chapter's own page.
        scenes: Ids of scenes in teaching order; these are also the names of their pages.
        errors: Names of pages about errors that have no scene, but a program on the page.
        rules: Ids of the doctor's rules; these are also the names of their pages.
    """

    id: str
    scenes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()

    @property
    def pages(self) -> tuple[str, ...]:
        """The chapter's own page, followed by those of its scenes, errors and rules."""
        return (self.id, *self.scenes, *self.errors, *self.rules)


_ERROR_SCENES = ("carried-state", "step-too-early", "history-cut", "layers-in-list", "nan-masked")

PROGRAM_PAGES: tuple[str, ...] = tuple(
    [each for each in ERROR_PAGES.values() if each not in _ERROR_SCENES]
)
"""Pages whose first code is a program; their facts come from its run."""


CHAPTERS: tuple[Chapter, ...] = (
    Chapter(
        id="when-to-use",
        scenes=(
            "numpy",
            "builtin-instead",
            "builtin-instead-torch",
            "module-instead",
            "hook-instead",
            "hook-instead-without",
        ),
    ),
    Chapter(
        id="forward-save-backward",
        scenes=(
            "exp",
            "mul-constant",
            "linear",
            "linear-split",
            "linear-split-merged",
            "linear-wrapped",
            "functional-linear",
            "mul-constant-undefined",
            "mul-constant-undefined-default",
            "mul-constant-undefined-unused",
            "non-differentiable",
            "my-own-layer",
            "my-own-layer-torch",
            "nn-linear",
        ),
    ),
    Chapter(id="check-it", scenes=("linear-wrong", "straight-through")),
    Chapter(
        id="differentiate-twice",
        scenes=(
            "cube",
            "cube-times",
            "cube-wrong",
            "cube-wrong-alone",
            "cube-once",
            "functional-linear-double",
            "functional-linear-double-once",
            "functional-linear-double-sum",
        ),
    ),
    Chapter(
        id="common-mistakes",
        scenes=(
            "linear-squeeze",
            "linear-squeeze-one",
            "mark-dirty",
            "mark-dirty-unmarked",
            "saved-changed",
            "scalar-tensor",
            "tensor-subclass",
            "tensor-wrapper",
        ),
    ),
    Chapter(id="errors", scenes=_ERROR_SCENES, errors=PROGRAM_PAGES),
    Chapter(id="lessons"),
    Chapter(id="rules", rules=tuple(rule.id for rule in DOCTOR_RULES)),
)

PAGES: tuple[str, ...] = tuple(page for chapter in CHAPTERS for page in chapter.pages)
"""Every page, in the order of "next page"."""


class UnknownPageError(LookupError):
    """There is no page with the requested name."""


def chapter_of(page: str) -> Chapter:
    """Find the chapter of a page.

    Raises:
        UnknownPageError: If there is no such page.
    """
    for chapter in CHAPTERS:
        if page in chapter.pages:
            return chapter
    advice = did_you_mean(page, PAGES) or say("guide.pages", names=", ".join(PAGES))
    raise UnknownPageError(f"{say('guide.no_page', page=f'{page!r:.60}')} {advice}")


def neighbours(page: str) -> tuple[str | None, str | None]:
    """Find the previous and the next page; None at either end.

    Raises:
        UnknownPageError: If there is no such page.
    """
    chapter_of(page)
    at = PAGES.index(page)
    return (
        PAGES[at - 1] if at else None,
        PAGES[at + 1] if at + 1 < len(PAGES) else None,
    )
