"""The guide in the page of a run: what explains its scene, or the errors that were found in it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from html import escape

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.scene_of_trace import scene_of
from gradviz.catalogue.language import current_language
from gradviz.catalogue.messages import say
from gradviz.export.graph.svg_elements import escaped, svg_element
from gradviz.gallery.guide.facts import fact_source
from gradviz.gallery.guide.formulas import rendered_formula
from gradviz.gallery.guide.page import (
    CodeBlock,
    DisplayFormula,
    EmphasizedText,
    GraphFigure,
    GuidePage,
    InlineCode,
    InlineFormula,
    Link,
    Listing,
    PageBlock,
    PageHeading,
    PageSpan,
    PageTable,
    Paragraph,
    PlainWords,
    RunFact,
)
from gradviz.gallery.guide.pages import page, page_names
from gradviz.gallery.guide.pictures import drawn_graph_of
from gradviz.gallery.guide.traversal import plain_text, spans_in
from gradviz.text.found_problems import problem_pages

LinkAddress = Callable[[Link], str | None]
"""Returns where a link leads; None if its text must name the target instead."""


class PageHtml:
    """Writes the parts of one page as HTML.

    Args:
        page: The page.
        address: Returns where a link leads.
        level: Heading level of the page's title.
    """

    def __init__(self, page: GuidePage, address: LinkAddress, level: int = 1) -> None:
        self._page, self._address, self._level = page, address, level

    def document(self) -> str:
        """Return title and blocks, without an element around them."""
        title = f"<h{self._level}>{escape(self._page.title)}</h{self._level}>"
        return "\n".join((title, *map(self.block, self._page.blocks)))

    def block(self, block: PageBlock) -> str:
        """Return one block as an element."""
        match block:
            case PageHeading():
                # The title has level 1 in a page's Markdown.
                tag = f"h{self._level + block.level - 1}"
                return f"<{tag}>{self._html(block.spans)}</{tag}>"
            case Paragraph(aside=True):
                return f"<blockquote><p>{self._html(block.spans)}</p></blockquote>"
            case Paragraph():
                return f"<p>{self._html(block.spans)}</p>"
            case Listing():
                kind = "ol" if block.ordered else "ul"
                items = "".join(f"<li>{self._html(item)}</li>" for item in block.items)
                return f"<{kind}>{items}</{kind}>"
            case CodeBlock():
                return f"<pre><code>{self._html(block.parts).rstrip()}</code></pre>"
            case DisplayFormula():
                return f'<p class="wide">{self._formula(block.formula, display=True)}</p>'
            case GraphFigure():
                return self._graph(block)
            case PageTable():
                head = self._row(block.header, "th")
                rows = "".join(self._row(row, "td") for row in block.rows)
                table = f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
                return f'<div class="wide">{table}</div>'

    def _graph(self, figure: GraphFigure) -> str:
        svg = drawn_graph_of(self._page.name, figure.step, current_language()).svg
        title = escape(say("guide.graph", title=self._page.title, step=figure.step))
        return f'<div class="graph" role="img" aria-label="{title}">{svg}</div>'

    def _row(self, cells: tuple[tuple[PageSpan, ...], ...], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{self._html(cell)}</{tag}>" for cell in cells) + "</tr>"

    def _html(self, spans: tuple[PageSpan, ...]) -> str:
        return "".join(self._span(span) for span in spans)

    def _span(self, span: PageSpan) -> str:
        match span:
            case PlainWords():
                return escape(span.text)
            case RunFact():
                return self._tipped("fact", self._source(span), escape(span.text))
            case InlineCode():
                return f"<code>{self._html(span.parts)}</code>"
            case InlineFormula():
                return self._formula(span, display=False)
            case EmphasizedText():
                tag = "strong" if span.strong else "em"
                return f"<{tag}>{self._html(span.spans)}</{tag}>"
            case Link():
                return self._link(span)

    def _formula(self, formula: InlineFormula, *, display: bool) -> str:
        math = rendered_formula(formula.latex, display=display).mathml
        if not formula.facts:
            return math
        return self._tipped("formula", "\n".join(map(self._source, formula.facts)), math)

    def _source(self, fact: RunFact) -> str:
        return fact_source(self._page.name, fact)

    def _tipped(self, kind: str, tip: str, inside: str) -> str:
        return f'<span class="{kind}" title="{escape(tip)}">{inside}</span>'

    def _link(self, link: Link) -> str:
        text, address = self._html(link.spans), self._address(link)
        if address is not None:
            return f'<a href="{escape(address)}">{text}</a>'
        if plain_text(link.spans) == link.target:
            return text
        return say(f"guide.link.{link.kind}", text=text, to=escape(link.target))


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
