"""The guide page of the scene that a run was recorded from."""

from __future__ import annotations

from collections.abc import Collection

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.scene_of_trace import scene_of
from gradviz.catalogue.language import current_language
from gradviz.catalogue.messages import say
from gradviz.export.graph.svg_elements import escaped, svg_element
from gradviz.gallery.guide.page import Link, RunFact
from gradviz.gallery.guide.page_html import PageHtml
from gradviz.gallery.guide.pages import page, page_names
from gradviz.gallery.guide.traversal import spans_in


def guide_article(index: TraceIndex, paths: Collection[str]) -> str:
    """Return the guide page of a run's scene as HTML; empty if it has none.

    Args:
        index: The trace.
        paths: The places that links can lead to, such as ``5/backward``.
    """
    name = scene_of(index)
    if name not in page_names():
        return ""
    orders = {report.order for report in index.trace.reports}

    def address(link: Link) -> str | None:
        if link.kind == "check" and int(link.target) in orders:
            return "#jacobians"
        return _step_address(link.target, paths) if link.kind == "step" else None

    found = page(name, current_language())
    article = PageHtml(found, address, level=2).document()
    if any(isinstance(span, RunFact) for block in found.blocks for span in spans_in(block)):
        article += svg_element("p", escaped(say("guide.facts")), class_="muted")
    return article


def _step_address(path: str, paths: Collection[str]) -> str | None:
    """The address of a place, or of the one around it if the run lacks it."""
    while path and path not in paths:
        path = path.rpartition("/")[0]
    return f"#{path}" if path else None
