"""The guide in the page of a run: what explains its scene, or the errors that were found in it."""

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
from gradviz.text.found_problems import problem_pages


def guide_names(index: TraceIndex) -> tuple[str, ...]:
    """The guide's pages that belong to a run: that of its scene, or those about what was found."""
    name = scene_of(index)
    return (name,) if name in page_names() else problem_pages(index.trace.findings)


def guide_articles(index: TraceIndex, paths: Collection[str]) -> str:
    """Return the guide's pages that belong to a run as HTML; empty if there are none.

    Args:
        index: The trace.
        paths: The places that links can lead to, such as ``5/backward``.
    """
    names = guide_names(index)
    orders = {report.order for report in index.trace.reports}

    def address(link: Link) -> str | None:
        if link.kind == "page" and link.target in names:
            return f"#guide/{link.target}"
        if scene_of(index) not in names:
            # The steps that such a page names are those of its own program.
            return None
        if link.kind == "check" and int(link.target) in orders:
            return "#jacobians"
        return _step_address(link.target, paths) if link.kind == "step" else None

    found = [page(name, current_language()) for name in names]
    articles = "".join(
        svg_element("section", PageHtml(each, address, level=2).document(), data_page=each.name)
        for each in found
    )
    blocks = (block for each in found for block in each.blocks)
    if any(isinstance(span, RunFact) for block in blocks for span in spans_in(block)):
        articles += svg_element("p", escaped(say("guide.facts")), class_="muted")
    return articles


def _step_address(path: str, paths: Collection[str]) -> str | None:
    """The address of a place, or of the one around it if the run lacks it."""
    while path and path not in paths:
        path = path.rpartition("/")[0]
    return f"#{path}" if path else None
