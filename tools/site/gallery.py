"""The gallery of the site: each scene as a page that steps, and an index."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from gradviz.analysis.index.trace_index import index_reader
from gradviz.cli.traces import trace_file
from gradviz.export.page.document import run_page
from gradviz.gallery.registry import SCENES
from gradviz.gallery.scene import Scene
from gradviz.host.limits import Limits
from gradviz.store.reader import open_trace


def write_gallery(folder: Path) -> None:
    """Record each scene, and write its page and ``index.md``."""
    folder.mkdir()
    for scene in SCENES:
        (folder / f"{scene.id}.html").write_text(_scene_page(scene), encoding="utf-8")
    (folder / "index.md").write_text(gallery_index(), encoding="utf-8")


def _scene_page(scene: Scene) -> str:
    with trace_file(scene.id, Limits()) as path, open_trace(path) as reader:
        return run_page(index_reader(reader), reader.value, None)


def gallery_index() -> str:
    """Links to the pages below the headings of the library, with what to look at."""
    parts = [
        "# Gallery",
        "Each scene opens as a page that steps: with the arrow keys, the slider or a swipe.",
    ]
    for group, scenes in groupby(SCENES, key=lambda scene: scene.group):
        parts.append(f"## {group.title}")
        parts.append(
            "\n".join(f"- [{each.title}]({each.id}.html): {each.summary}" for each in scenes)
        )
    return "\n\n".join(parts) + "\n"
