"""The page of a run: template, style, script and data in one file that loads nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from string import Formatter
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from gradviz.analysis.compare.run_comparison import RunComparison
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.position_paths import position_path
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.language import current_language
from gradviz.catalogue.messages import say, say_count
from gradviz.catalogue.templates import MESSAGES
from gradviz.catalogue.visible_text import visible_text
from gradviz.drawing.appearance.color_map import color_table, dark_ink_on
from gradviz.drawing.appearance.palette import PALETTE, PaletteTheme, color
from gradviz.drawing.cells.cell_marks import NON_FINITE
from gradviz.drawing.graphviz.layout_engine import LayoutError
from gradviz.export.errors import ExportError
from gradviz.export.graph.svg_elements import escaped, svg_element
from gradviz.export.html_fragment import DARK_NOTEBOOKS, LIGHT_NOTEBOOKS
from gradviz.export.page.compare_data import compare_data
from gradviz.export.page.drawing import PageGraph, page_graph
from gradviz.export.page.guide_articles import guide_articles
from gradviz.export.page.jacobian_data import jacobian_data
from gradviz.export.page.page_steps import PagePart, page_parts
from gradviz.export.page.painter import DrawingStyles
from gradviz.export.page.run_data import run_data
from gradviz.export.page.training import training_markup
from gradviz.export.steps.html import steps_html
from gradviz.gallery.guide.pictures import heat_colors
from gradviz.resource import resource_path
from gradviz.text.titles import origin_title
from gradviz.version import __version__

_SCRIPTS = (
    "elements",
    "cells",
    "graph",
    "groups",
    "iterations",
    "source",
    "values",
    "stepping",
    "quiz",
    "jacobians",
    "handout",
    "compare",
    "guide",
    "page",
)
_STYLES = ("page.css", "training.css", "groups.css", "compare.css", "guide.css", "quiz.css")
_VARIABLE = re.compile(r"var\(--([a-z0-9-]+)")
_SLOT = re.compile(r"\$([a-z_]+)\$")
_NO_SCRIPT = (
    "compare.value.",
    "elements.",
    "equal",
    "first_insides",
    "first_steps",
    "groups.left.",
    "infinities",
    "iterations.",
    "nans",
    "none",
    "statistics",
    "training.",
)


def run_page(
    index: TraceIndex,
    start: TracePosition | None = None,
    comparison: RunComparison | None = None,
) -> str:
    """Return a run as an HTML document that steps without network and without gradviz.

    Args:
        index: The trace.
        start: Where the page opens, unless its address names a place; None for the comparison, or
            else the training, or else the first step. In a training, the page has all steps of its
            iteration.
        comparison: That of this run, on the left, with another one; None to show only this run.

    Raises:
        ExportError: If the trace has no steps.
    """
    if not len(index.trace.steps):
        raise ExportError("page.no_steps")
    parts = page_parts(index, None if start is None else start.step)
    data = run_data(index, parts)
    graph = _graph(index, parts)
    training = training_markup(index, parts, data["notes"])
    opening = "compare" if comparison is not None else "training" if training else ""
    data["start"] = opening if start is None else position_path(start)
    data |= graph.data
    if graph.left:
        data["notes"].append(say_count("page.groups.left", graph.left))
    data["checks"] = jacobian_data(index)
    data["compare"] = None if comparison is None else compare_data(comparison)
    data["words"] = _words()
    data["heat"] = {theme: _heat(theme) for theme in ("light", "dark")}
    script = "\n".join(_resource(f"{name}.js") for name in _SCRIPTS)
    rules = "".join(map(_resource, _STYLES)) + graph.styles.rules()
    whole, *others = graph.drawings.items()
    groups = "".join(svg_element("template", svg, data_drawing=key) for key, svg in others)
    guide = guide_articles(index, {place["path"] for place in data["places"]})
    own = graph.styles.colors() | heat_colors(guide)
    style = _themes(rules + whole[1] + groups + guide + training, own) + rules
    slots = {
        "script_hash": _hash(script),
        "style_hash": _hash(style),
        "language": current_language(),
        "title": escaped(data["title"]),
        "version": __version__,
        "style": style,
        "graph": whole[1],
        "groups": groups,
        "training": training,
        "guide": guide,
        "no_script": escaped(say("page.no_script")),
        "data": _json_island(data),
        "script": script,
    }
    return _filled(_resource("page.html"), slots)


def _filled(template: str, parts: Mapping[str, str]) -> str:
    """A template with its slots filled in one pass, so that nothing in a part is a slot."""
    return _SLOT.sub(lambda match: parts[match[1]], template)


def _graph(index: TraceIndex, parts: Sequence[PagePart]) -> PageGraph:
    """The graph, or in its place the reason why there is none."""
    try:
        return page_graph(index, parts)
    except (ExportError, LayoutError) as error:
        reason = svg_element("p", escaped(str(error)), class_="hint")
        graphs = [""] * sum(len(each.numbers) for each in parts)
        data = {
            "drawings": {"": {"states": {}, "hidden": {}}},
            "step_graphs": graphs,
            "step_groups": [],
        }
        return PageGraph(drawings={"": reason}, data=data, styles=DrawingStyles())


def _resource(name: str) -> str:
    return resource_path(f"page/{name}").read_text(encoding="utf-8")


def _words() -> dict[str, str]:
    """The texts that the script shows, with their placeholders still in braces."""
    found = {}
    for key, template in MESSAGES.items():
        group, _, name = key.partition(".")
        if group == "page" and not name.startswith(_NO_SCRIPT):
            fields = (field for _, field, _, _ in Formatter().parse(template) if field)
            found[name] = say(key, **{field: f"{{{field}}}" for field in fields})
    return found


def _heat(theme: PaletteTheme) -> dict[str, str]:
    """The color table as hexadecimal digits, and for each color whether black is readable on it."""
    marks = [list(bytes.fromhex(color(role, theme)[1:])) for role in NON_FINITE]
    table = np.concatenate([color_table(theme), np.array(marks, dtype=np.uint8)])
    ink = "".join("1" if dark else "0" for dark in dark_ink_on(table))
    return {"colors": table.tobytes().hex(), "dark_ink": ink}


def _themes(markup: str, own: Mapping[str, tuple[str, str]]) -> str:
    """CSS rules with the colors that the markup uses, for each theme."""
    known = {role.replace("_", "-"): pair for role, pair in PALETTE.items()} | dict(own)
    used = sorted(set(_VARIABLE.findall(markup)) & known.keys())
    light, dark = (";".join(f"--{name}:{known[name][at]}" for name in used) for at in (0, 1))
    return _filled(_resource("themes.css"), {"light": light, "dark": dark})


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _json_island(data: Any) -> str:
    """JSON that cannot end the element around it; NaN and infinities are strings before."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


_QUOTE = {"'": "&#39;"}

_HEIGHT = 680
"""Pixels in which graph, sentence, source, values and buttons fit without scrolling."""


def notebook_html(index: TraceIndex) -> str:
    """Render a run as a page that steps, in a frame that reaches neither notebook nor network.

    Where a notebook is not trusted, its frames and styles are removed. What is left shows the graph
    and the sentences as `steps_html` does, which the style hides otherwise.

    Args:
        index: The trace.

    Returns:
        HTML that is also well-formed XML; that of `steps_html` if the run has no steps.
    """
    plain = steps_html(index)
    try:
        page = run_page(index)
    except ExportError:
        return plain
    frame = _element(
        "iframe",
        class_="gradviz-page",
        sandbox="allow-scripts",
        title=visible_text(origin_title(index.trace.origin)),
        height=str(_HEIGHT),
        style="width:100%;border:0",
        srcdoc=page,
    )
    return svg_element("div", svg_element("style", _rules()) + frame + plain, class_="gradviz-run")


def _element(name: str, **attributes: str) -> str:
    """An empty element with attributes in single quotes: a page has double ones by the thousand."""
    texts = "".join(
        f" {key.rstrip('_')}='{escape(value, _QUOTE)}'" for key, value in attributes.items()
    )
    return f"<{name}{texts}></{name}>"


def _rules() -> str:
    """CSS that hands the notebook's theme on to the page, and hides what the page shows too."""
    # marimo puts an element around each frame. In one rule, a browser that does not know `:has`
    # would ignore both.
    frames = (".gradviz-page", ".gradviz-run>:has(>.gradviz-page)")
    rules = [f"{frame}+.gradviz{{display:none}}" for frame in frames]
    for scheme, notebooks in (("dark", DARK_NOTEBOOKS), ("light", LIGHT_NOTEBOOKS)):
        themed = ",".join(f"{notebook} .gradviz-page" for notebook in notebooks)
        rules.append(f"{themed}{{color-scheme:{scheme}}}")
    return "".join(rules)
