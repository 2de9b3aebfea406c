"""``make docs``: a site in ``build/docs/site``.

It has the README, the guide, all scenes as pages that step, the lessons, and the public API.
Guide, scenes and lessons are in the language of the locale: ``LANGUAGE=de make docs``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import gradviz
from gradviz.catalogue.language import current_language, load_language, locale_language
from gradviz.gallery.guide.contents import CHAPTERS
from gradviz.gallery.guide.pages import page, page_title
from gradviz.lesson.shipped import LESSONS
from tools.site.gallery import write_gallery
from tools.site.guide_markdown import guide_markdown
from tools.site.words import site_text

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "docs"
LANGUAGES = {"README.de.md": "Deutsch", "README.zh.md": "简体中文"}
PAGES = {
    "CHANGELOG.md": "Changelog",
    "CONTRIBUTING.md": "Contributing",
    "SECURITY.md": "Security",
    "THIRD_PARTY.md": "Third-party licenses",
}


RESULTS = tuple(
    f"gradviz.api.loaded_trace.{name}" for name in ("TraceStep", "TraceValue", "TraceTensor")
)
"""Classes that are no names of `gradviz`, but that its functions return."""


def main() -> int:
    """Write the pages and let MkDocs build the site; returns its exit code."""
    load_language(locale_language(os.environ))
    shutil.rmtree(FOLDER, ignore_errors=True)
    (FOLDER / "pages" / "guide").mkdir(parents=True)
    _write_pages(FOLDER / "pages")
    (FOLDER / "mkdocs.yml").write_text(json.dumps(_settings(), indent=1), encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict"]
    # The theme prints an advertisement for another program.
    variables = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    code = subprocess.run(
        command, stdin=subprocess.DEVNULL, cwd=FOLDER, env=variables, check=False
    ).returncode
    if code == 0:
        sys.stdout.write(f"{FOLDER / 'site' / 'index.html'}\n")
    return code


def _write_pages(folder: Path) -> None:
    for name in ("README.md", *LANGUAGES):
        readme = (ROOT / name).read_text(encoding="utf-8")
        # A folder of the repository has no page.
        readme = readme.replace("[resources/schemas](resources/schemas)", "`resources/schemas`")
        readme = readme.replace("(README.md)", "(index.md)")
        (folder / name.replace("README.md", "index.md")).write_text(readme, encoding="utf-8")
    write_gallery(folder / "gallery")
    shutil.copytree(ROOT / "docs", folder / "docs")
    for name in (*PAGES, "LICENSE"):
        shutil.copy(ROOT / name, folder / name)
    for chapter in CHAPTERS:
        for name in chapter.pages:
            path = folder / "guide" / f"{name}.md"
            path.write_text(guide_markdown(page(name)), encoding="utf-8")
    # Functions, then classes.
    public = sorted(gradviz.__all__, key=lambda name: name[0].isupper())
    names = [f"gradviz.{name}" for name in public if not name.startswith("_")]
    parts = ["# API reference", *(f"::: {name}" for name in (*names, *RESULTS))]
    (folder / "reference.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _settings() -> dict[str, Any]:
    guide = [
        {page_title(chapter.id): [f"guide/{name}.md" for name in chapter.pages]}
        for chapter in CHAPTERS
    ]
    palette = [
        {"media": f"(prefers-color-scheme: {name})", "scheme": scheme, "primary": "indigo"}
        for name, scheme in (("light", "default"), ("dark", "slate"))
    ]
    reference = {
        "docstring_style": "google",
        "filters": ["!^_"],
        "heading_level": 2,
        "members_order": "source",
        "merge_init_into_class": True,
        "show_root_heading": True,
        "show_source": False,
    }
    return {
        "site_name": "gradviz",
        "docs_dir": "pages",
        "site_dir": "site",
        # So that the site can be read without a server.
        "use_directory_urls": False,
        # No font from the network.
        "theme": {
            "name": "material",
            "font": False,
            "language": current_language(),
            "palette": palette,
        },
        "plugins": [
            "search",
            {
                "mkdocstrings": {
                    "handlers": {"python": {"paths": [str(ROOT)], "options": reference}}
                }
            },
        ],
        "markdown_extensions": ["tables", "pymdownx.highlight", "pymdownx.superfences"],
        "nav": [
            {"gradviz": "index.md"},
            *({title: name} for name, title in LANGUAGES.items()),
            {site_text("gallery"): "gallery/index.md"},
            {site_text("lessons"): [f"gallery/lessons/{name}.md" for name in LESSONS]},
            {site_text("guide"): guide},
            {"API reference": "reference.md"},
            *({title: name} for name, title in PAGES.items()),
        ],
    }


if __name__ == "__main__":
    sys.exit(main())
