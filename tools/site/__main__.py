"""``make docs``: a site in ``build/docs/site``.

It has the pages in ``docs``, the guide, the gallery with its lessons, and references that are
written from the program. Guide, gallery and lessons are in the language of the locale:
``LANGUAGE=de make docs``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from gradviz.catalogue.language import current_language, load_language, locale_language
from gradviz.gallery.guide.contents import CHAPTERS
from gradviz.gallery.guide.pages import page
from tools.site.gallery import write_gallery
from tools.site.guide_markdown import guide_markdown, guide_pictures
from tools.site.navigation import navigation
from tools.site.references import schema_files
from tools.site.search import weigh_pages
from tools.site.sources import ROOT, write_sources

FOLDER = ROOT / "build" / "docs"
_WORKER = "iframe-worker.js"


def main() -> int:
    """Write the pages and let MkDocs build the site; returns its exit code."""
    load_language(locale_language(os.environ))
    shutil.rmtree(FOLDER, ignore_errors=True)
    pages = FOLDER / "pages"
    write_sources(pages)
    write_guide(pages / "guide")
    write_gallery(pages / "gallery")
    for path in schema_files():
        shutil.copy(path, pages / "reference")
    (pages / "assets").mkdir()
    shutil.copy(Path(__file__).with_name(_WORKER), pages / "assets")
    weigh_pages(pages)
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


def write_guide(folder: Path) -> None:
    """Write each page of the guide to its folder."""
    folder.mkdir()
    for chapter in CHAPTERS:
        for name in chapter.pages:
            (folder / f"{name}.md").write_text(guide_markdown(page(name)), encoding="utf-8")
            for picture, svg in guide_pictures(page(name)):
                (folder / picture).write_text(svg, encoding="utf-8")


def _settings() -> dict[str, Any]:
    palette = [
        {"media": f"(prefers-color-scheme: {name})", "scheme": scheme, "primary": "indigo"}
        for name, scheme in (("light", "default"), ("dark", "slate"))
    ]
    python = {
        "docstring_style": "google",
        "filters": ["!^_"],
        "heading_level": 2,
        "members_order": "source",
        "merge_init_into_class": True,
        # One argument a line.
        "line_length": 60,
        "separate_signature": True,
        "show_signature_annotations": True,
        "show_root_heading": True,
        "show_root_full_path": False,
        "show_source": False,
    }
    return {
        "site_name": "gradviz",
        "docs_dir": "pages",
        "site_dir": "site",
        # So that the site can be read and searched without a server; the plugin would load another
        # script for it from the network.
        "use_directory_urls": False,
        "extra": {"polyfills": [f"assets/{_WORKER}"]},
        # No font from the network.
        "theme": {
            "name": "material",
            "font": False,
            "language": current_language(),
            "palette": palette,
            "features": [
                "content.code.copy",
                "navigation.footer",
                "navigation.tabs",
                "navigation.top",
                "search.highlight",
                "search.suggest",
            ],
        },
        "plugins": [
            "offline",
            # Signs that stand next to words in code are no part of them.
            {"search": {"separator": r"[\s\-,:!=\[\]()\"'`/]+|\.(?!\d)|&[lg]t;"}},
            {"mkdocstrings": {"handlers": {"python": {"paths": [str(ROOT)], "options": python}}}},
        ],
        "markdown_extensions": [
            "attr_list",
            "tables",
            "pymdownx.highlight",
            "pymdownx.superfences",
        ],
        "nav": navigation(),
    }


if __name__ == "__main__":
    sys.exit(main())
