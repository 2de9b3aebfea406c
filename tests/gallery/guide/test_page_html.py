"""Pages as HTML say what the guide says, and contain nothing that would be loaded or run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from gradviz.export.page.guide_articles import PageHtml
from gradviz.gallery.guide.page import (
    EmphasizedText,
    InlineCode,
    InlineFormula,
    Link,
    PageSpan,
)
from gradviz.gallery.guide.pages import page, page_names
from gradviz.gallery.guide.parser import read_page
from gradviz.gallery.guide.traversal import formulas_on, runs_of

SCRIPTS = {"msub": 2, "msup": 2, "mfrac": 2, "mover": 2, "munder": 2, "mroot": 2, "msubsup": 3}
"""Elements of MathML that need a number of children."""


class Texts(HTMLParser):
    """The text of a document without its graphs, with a mark for each formula, and its tags."""

    def __init__(self) -> None:
        super().__init__()
        self.text, self.tags = "", set[str]()
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag in ("math", "svg"):
            self.text += "\0" if tag == "math" else ""
            self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self.text += data


def texts_of(spans: tuple[PageSpan, ...]) -> Iterator[str]:
    for span in spans:
        match span:
            case InlineFormula():
                yield "\0"
            case EmphasizedText() | Link():
                yield from texts_of(span.spans)
            case InlineCode():
                yield from texts_of(span.parts)
            case _:
                yield span.text


@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_pages_keep_every_word_and_formula(language: str) -> None:
    for name in page_names():
        found = page(name, language)
        html = PageHtml(found, lambda link: f"#{link.target}", 2).document()
        reader = Texts()
        reader.feed(html)
        said = [found.title, *("".join(texts_of(run)) for b in found.blocks for run in runs_of(b))]
        words = "".join("".join(said).split())
        assert "".join(reader.text.split()) == words, name
        assert html.count("<math") == len(list(formulas_on(found)))
        assert not re.search(r"://|<(script|style|img|link)|\s(style|on\w+|src)=", html), name
        assert "h1" not in reader.tags


def test_formulas_are_valid_mathml() -> None:
    for language in ("en", "de", "zh"):
        for name in page_names():
            html = PageHtml(page(name, language), lambda _: None).document()
            for formula in re.findall(r"<math.*?</math>", html, re.DOTALL):
                for element in ElementTree.fromstring(formula).iter():
                    assert len(element) == SCRIPTS.get(element.tag, len(element)), formula


def test_markup_in_a_page_stays_text() -> None:
    text = '# A <b>title</b>\n\n`<img src=x>` [to "it"](step:5 "<i>") {{<u>|the "x"}}\n'
    html = PageHtml(read_page("cube", text), lambda link: '#"><i>').document()
    assert html == (
        "<h1>A &lt;b&gt;title&lt;/b&gt;</h1>\n"
        "<p><code>&lt;img src=x&gt;</code>"
        ' <a href="#&quot;&gt;&lt;i&gt;">to &quot;it&quot;</a>'
        ' <span class="fact" title="&lt;u&gt;: recorded from the scene cube (the &quot;x&quot;)">'
        "&lt;u&gt;</span></p>"
    )


def test_links_without_address_name_their_target() -> None:
    found = read_page("cube", "# Cube\n\n[Compare](compare:linear), [exp](page:exp)\n")
    html = PageHtml(found, lambda _: None).document()
    assert html.endswith("<p>Compare (compare with linear), exp</p>")
