"""The gallery of the site: each scene as a page that steps, each lesson, and an index."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from gradviz.analysis.index.trace_index import index_reader
from gradviz.cli.traces import check_offer, record_offer, temporary_trace
from gradviz.export.page.document import run_page
from gradviz.gallery.registry import SCENES, offer_of
from gradviz.gallery.scene import Scene
from gradviz.host.limits import Limits
from gradviz.store.reader import open_trace
from tools.site.lesson_pages import checked_scenes, lesson_links, lesson_pages
from tools.site.words import site_text


def write_gallery(folder: Path) -> None:
    """Record each scene, and write its page, the lessons and ``index.md``."""
    (folder / "lessons").mkdir(parents=True)
    for scene in SCENES:
        (folder / f"{scene.id}.html").write_text(scene_page(scene), encoding="utf-8")
    for name, text in lesson_pages().items():
        (folder / "lessons" / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / "index.md").write_text(gallery_index(), encoding="utf-8")


def scene_page(scene: Scene) -> str:
    """Record a scene, with the checks that a lesson shows, and return its page."""
    offer = offer_of(scene)
    with temporary_trace() as path:
        record_offer(offer, path, Limits(), "all")
        if scene.id in checked_scenes():
            check_offer(offer, path, Limits())
        with open_trace(path) as reader:
            return run_page(index_reader(reader), reader.value)


def gallery_index() -> str:
    """Links to the pages below the headings of the library, with what to look at."""
    parts = [
        f"# {site_text('gallery')}",
        site_text("about"),
        f"## {site_text('lessons')}",
        lesson_links("lessons"),
    ]
    for group, scenes in groupby(SCENES, key=lambda scene: scene.group):
        parts.append(f"## {group.display_title}")
        parts.append(
            "\n".join(
                f"- [{each.display_title}]({each.id}.html): {each.display_summary}"
                for each in scenes
            )
        )
    return "\n\n".join(parts) + "\n"
