"""The order of the site's pages; a page without a title has that of its heading."""

from __future__ import annotations

from typing import Any

from gradviz.gallery.guide.contents import CHAPTERS
from gradviz.gallery.guide.pages import page_title
from gradviz.gallery.registry import GROUPS
from gradviz.lesson.shipped import LESSONS
from tools.site.sources import PROJECT, ROOT, TRANSLATIONS
from tools.site.words import site_text

_CONTRIBUTING = ROOT / "docs" / "contributing"
_RULES = "rules"
"""The chapter of the guide that is a reference."""

_WRITTEN = {
    "tutorials": (
        *("first-minutes", "own-function", "failing-gradcheck"),
        *("training-script", "lecture"),
    ),
    "how-to": (
        *("record", "remote", "check", "doctor", "compare", "lessons"),
        *("exports", "notebooks", "pytest", "ci", "settings"),
    ),
    "explanation": ("how-it-records", "costs", "what-it-cannot-see", "glossary"),
}
"""The pages in folders of ``docs``."""


def navigation() -> list[dict[str, Any]]:
    """MkDocs's ``nav``: each section with the paths of its pages."""
    guide = {chapter.id: [f"guide/{name}.md" for name in chapter.pages] for chapter in CHAPTERS}
    rules = guide.pop(_RULES)
    return [
        {"gradviz": "index.md"},
        {site_text("install"): "install.md"},
        {site_text("tutorials"): _pages("tutorials")},
        {site_text("how_to"): _pages("how-to")},
        {site_text("guide"): [{page_title(name): pages} for name, pages in guide.items()]},
        {site_text("gallery"): _gallery()},
        {
            site_text("reference"): [
                "reference/command-line.md",
                "reference/python.md",
                "reference/keys.md",
                "reference/formats.md",
                "reference/json.md",
                {site_text("rules"): rules},
                "reference/diagnoses.md",
                "reference/errors.md",
            ]
        },
        {site_text("explanations"): _pages("explanation")},
        {
            site_text("project"): [
                *({title: f"project/{name}"} for name, title in PROJECT.items()),
                *(f"contributing/{path.name}" for path in sorted(_CONTRIBUTING.glob("*.md"))),
                *({title: name} for name, title in TRANSLATIONS.items()),
            ]
        },
    ]


def _pages(folder: str) -> list[str]:
    return [f"{folder}/{name}.md" for name in _WRITTEN[folder]]


def _gallery() -> list[Any]:
    return [
        "gallery/index.md",
        {site_text("lessons"): [f"gallery/lessons/{name}.md" for name in LESSONS]},
        *(
            {group.display_title: [f"gallery/{scene.id}.md" for scene in group.scenes]}
            for group in GROUPS
        ),
    ]
