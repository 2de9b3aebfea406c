"""The gallery of the site: each scene with a picture and a page that steps, and each lesson."""

from __future__ import annotations

from pathlib import Path

from gradviz.analysis.index.trace_index import index_reader
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.cli.traces import check_offer, record_offer, temporary_trace
from gradviz.drawing.appearance.palette import PaletteTheme, theme_paint
from gradviz.export.graph.svg import graph_figures, laid_out_graph
from gradviz.export.graph.svg_figure import SvgStyle
from gradviz.export.page.document import run_page
from gradviz.gallery.registry import GROUPS, SCENES, offer_of
from gradviz.gallery.registry import scene as scene_with_id
from gradviz.gallery.scene import Scene
from gradviz.host.limits import Limits
from gradviz.store.reader import TraceReader, open_trace
from tools.site.guide_markdown import plain_heading
from tools.site.lesson_pages import checked_scenes, lesson_links, lesson_pages
from tools.site.words import site_text

THEMES: tuple[PaletteTheme, ...] = ("light", "dark")


def write_gallery(folder: Path) -> None:
    """Record each scene, and write its pages and pictures, the lessons and ``index.md``."""
    for name in ("lessons", "pictures", "runs"):
        (folder / name).mkdir(parents=True)
    for scene in SCENES:
        write_scene(folder, scene)
    for name, text in lesson_pages().items():
        (folder / "lessons" / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / "index.md").write_text(gallery_index(), encoding="utf-8")


def write_scene(folder: Path, scene: Scene) -> None:
    """Record a scene, with the checks that a lesson shows, and write all of its files.

    Args:
        folder: The gallery's, with its folders ``pictures`` and ``runs``.
        scene: The scene.
    """
    offer = offer_of(scene)
    with temporary_trace() as path:
        record_offer(offer, path, Limits(), "all")
        if scene.id in checked_scenes():
            check_offer(offer, path, Limits())
        with open_trace(path) as reader:
            run = run_page(index_reader(reader))
            pictures = scene_pictures(reader)
    (folder / "runs" / f"{scene.id}.html").write_text(run, encoding="utf-8")
    for theme, picture in zip(THEMES, pictures, strict=bool(pictures)):
        (folder / picture_name(scene, theme)).write_text(picture, encoding="utf-8")
    text = scene_markdown(scene, has_picture=bool(pictures))
    (folder / f"{scene.id}.md").write_text(text, encoding="utf-8")


def scene_pictures(reader: TraceReader) -> tuple[str, ...]:
    """The graph at the last step of a run as an SVG document, for each of `THEMES`.

    There are none if nothing in the run was differentiable, so that there is no graph.
    """
    index = index_reader(reader)
    if not index.trace.nodes:
        return ()
    drawing = laid_out_graph(index)
    last = [TracePosition(step=len(index.trace.steps))]
    styles = (SvgStyle(paint=theme_paint(theme), transparent=True) for theme in THEMES)
    return tuple(figure for style in styles for figure in graph_figures(drawing, last, style))


def picture_name(scene: Scene, theme: str) -> str:
    """The path of a picture in the gallery's folder."""
    return f"pictures/{scene.id}-{theme}.svg"


def scene_markdown(scene: Scene, *, has_picture: bool) -> str:
    """The page of a scene: what to look at, its picture, and links to everything about it."""
    run = f"runs/{scene.id}.html"
    title = plain_heading(scene.display_title)
    pictures = "\n".join(
        f"[![{title}]({picture_name(scene, theme)}#only-{theme})]({run})"
        for theme in (THEMES if has_picture else ())
    )
    links = [f"[{site_text('explained')}](../guide/{scene.id}.md)"]
    for name in scene.compare_with:
        other = plain_heading(scene_with_id(name).display_title)
        links.append(f"[{site_text('beside', title=other)}]({name}.md)")
    parts = (
        f"# {title}",
        scene.display_summary,
        f"[{site_text('steps')}]({run}){{ .md-button .md-button--primary }}",
        *([pictures] if pictures else []),
        "\n".join(f"- {each}" for each in links),
        site_text("terminal"),
        f"```sh\ngradviz view {scene.id}\n```",
    )
    return "\n\n".join(parts) + "\n"


def gallery_index() -> str:
    """Links to the pages below the headings of the library, with what to look at."""
    parts = [
        f"# {site_text('gallery')}",
        site_text("about"),
        f"## {site_text('lessons')}",
        lesson_links("lessons"),
    ]
    for group in GROUPS:
        parts.append(f"## {group.display_title}")
        parts.append(
            "\n".join(
                f"- [{each.display_title}]({each.id}.md): {each.display_summary}"
                for each in group.scenes
            )
        )
    return "\n\n".join(parts) + "\n"
