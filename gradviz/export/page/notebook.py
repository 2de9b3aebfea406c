"""The page of a run in the output of a notebook's cell."""

from __future__ import annotations

from xml.sax.saxutils import escape

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.visible_text import visible_text
from gradviz.export.errors import ExportError
from gradviz.export.graph.svg_elements import svg_element
from gradviz.export.html_fragment import DARK_NOTEBOOKS, LIGHT_NOTEBOOKS
from gradviz.export.page.document import run_page
from gradviz.export.steps.html import steps_html
from gradviz.model.tensor import TensorValues
from gradviz.text.titles import origin_title

_QUOTE = {"'": "&#39;"}

_HEIGHT = 680
"""Pixels in which graph, sentence, source, values and buttons fit without scrolling."""


def notebook_html(index: TraceIndex, values: TensorValues) -> str:
    """Render a run as a page that steps, in a frame that reaches neither notebook nor network.

    Where a notebook is not trusted, its frames and styles are removed. What is left shows the graph
    and the sentences as `steps_html` does, which the style hides otherwise.

    Args:
        index: The trace.
        values: Reads the elements of a tensor by id.

    Returns:
        HTML that is also well-formed XML; that of `steps_html` if the run has no steps.
    """
    plain = steps_html(index, values)
    try:
        page = run_page(index, values)
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
