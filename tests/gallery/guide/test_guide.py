"""Pages of the guide: read, translated and true."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.catalogue.language import available_languages, load_language
from gradviz.catalogue.rules import doctor_rule
from gradviz.gallery.guide.contents import (
    CHAPTERS,
    PAGES,
    UnknownPageError,
    chapter_of,
    neighbours,
)
from gradviz.gallery.guide.facts import facts_in, fill_facts
from gradviz.gallery.guide.page import (
    CodeBlock,
    DisplayFormula,
    EmphasizedText,
    GraphFigure,
    GuideError,
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
from gradviz.gallery.guide.pages import page, page_names, page_source
from gradviz.gallery.guide.parser import read_page
from gradviz.gallery.guide.plain_text import text_lines
from gradviz.gallery.registry import SCENES
from tests.gallery.guide.translated_facts import wrong_facts
from tests.sweeps import thinned
from tools.guide.query import answer
from tools.guide.recordings import Recordings
from tools.guide.unicode_math import unicode_formula

# Parsing pages; malformed pages are refused with file and line.


_PIECES = st.sampled_from(
    [
        *'$`*[](){}|\\#-> \n"1x',
        "```",
        "$$",
        "**",
        "{{",
        "}}",
        "{{3|value x}}",
        "[a](step:5)",
        "| a | b |\n",
        "| - | - |\n",
        "\n\n",
        "# T\n",
        "é",
    ]
)


def blocks(text: str) -> tuple[PageBlock, ...]:
    return read_page("cube", f"# Title\n\n{text}").blocks


def spans(text: str) -> tuple[PageSpan, ...]:
    (block,) = blocks(text)
    assert isinstance(block, Paragraph)
    return block.spans


# On a busy machine the texts are made slowly, which says nothing about reading them.
@given(st.lists(_PIECES, max_size=16).map("".join) | st.text())
def test_any_text_is_read_or_refused_by_line(text: str) -> None:
    refused = ""
    try:
        read_page("cube", text)
    except GuideError as error:
        refused = str(error)
    assert not refused or refused.startswith("cube.md:")


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\\`*$[]{}|#->\r\n")))
def test_words_without_marks_stay_as_they_are(text: str) -> None:
    text = f"a{text}b"
    if len(text.splitlines()) == 1:
        assert spans(text) == (PlainWords(text=text),)


@given(st.text(), st.lists(st.text(alphabet="ab 12[],.|", max_size=6), max_size=4))
def test_filling_changes_facts_and_nothing_else(around: str, texts: list[str]) -> None:
    around = around.replace("{", "").replace("}", "")
    text = around.join(f"{{{{{old}|query {at}}}}}" for at, old in enumerate(texts))
    new = fill_facts(text, lambda query: f"<{query}>")
    assert new == around.join(f"{{{{<query {at}>|query {at}}}}}" for at in range(len(texts)))
    assert [fact.text for _, fact in facts_in(text)] == texts


def test_text_has_stress_code_formulas_facts_and_links() -> None:
    text = "Of **grad *x* now** in `f({{2|value x}})`: ${{6|grad x}}x$ is {{12|step 5 returned x}}."
    assert spans(text) == (
        PlainWords(text="Of "),
        EmphasizedText(
            strong=True,
            spans=(
                PlainWords(text="grad "),
                EmphasizedText(strong=False, spans=(PlainWords(text="x"),)),
                PlainWords(text=" now"),
            ),
        ),
        PlainWords(text=" in "),
        InlineCode(
            parts=(PlainWords(text="f("), RunFact(text="2", query="value x"), PlainWords(text=")")),
        ),
        PlainWords(text=": "),
        InlineFormula(latex="6x", facts=(RunFact(text="6", query="grad x"),)),
        PlainWords(text=" is "),
        RunFact(text="12", query="step 5 returned x"),
        PlainWords(text="."),
    )


def test_names_keep_their_underscores_and_products_their_stars() -> None:
    assert spans("grad_output * saved_x * 2") == (PlainWords(text="grad_output * saved_x * 2"),)


def test_a_link_knows_where_it_leads() -> None:
    (link,) = spans('[go *there* {{[[1]]|value x}}](step:5/backward/line2 "MyCube.backward")')
    assert isinstance(link, Link)
    assert (link.kind, link.target, link.title) == (
        "step",
        "5/backward/line2",
        "MyCube.backward",
    )
    assert link.spans[-1] == RunFact(text="[[1]]", query="value x")


def test_brackets_without_a_target_are_text() -> None:
    assert spans("[1, 2] and [O,I]") == (PlainWords(text="[1, 2] and [O,I]"),)


def test_a_page_has_headings_lists_tables_code_notes_and_formulas() -> None:
    found = blocks(
        "## Head\nText\nmore\n- one\n  two\n- three\n\n1. first\n\n"
        "| a | `b|c` |\n| --- | :-: |\n| {{1|value x}} | $|x|$ |\n\n"
        "```python\ny = {{2|value y}}\n```\n> Note\n> well.\n\n$$\nx^2\n$$\n"
    )
    kinds = [
        PageHeading,
        Paragraph,
        Listing,
        Listing,
        PageTable,
        CodeBlock,
        Paragraph,
        DisplayFormula,
    ]
    assert [type(each) for each in found] == kinds
    assert found[1] == Paragraph(line=4, spans=(PlainWords(text="Text more"),))
    assert found[2] == Listing(
        line=6, items=((PlainWords(text="one two"),), (PlainWords(text="three"),)), ordered=False
    )
    assert isinstance(found[4], PageTable)
    assert found[4].rows == (
        ((RunFact(text="1", query="value x"),), (InlineFormula(latex="|x|"),)),
    )
    assert found[5] == CodeBlock(
        line=16,
        language="python",
        parts=(PlainWords(text="y = "), RunFact(text="2", query="value y")),
    )
    assert found[6] == Paragraph(line=19, spans=(PlainWords(text="Note well."),), aside=True)
    assert found[7] == DisplayFormula(line=22, formula=InlineFormula(latex="x^2"))


def test_a_graph_is_a_line_of_its_own() -> None:
    assert blocks("a\n\n![](graph:12)\n") == (
        Paragraph(line=3, spans=(PlainWords(text="a"),)),
        GraphFigure(line=5, step=12),
    )


def test_a_fact_may_stand_in_braces_of_a_formula() -> None:
    fact = RunFact(text=r"\frac{1}{2}", query="value x")
    assert spans(r"$x^{{{\frac{1}{2}|value x}}}$") == (
        InlineFormula(latex=r"x^{\frac{1}{2}}", facts=(fact,)),
    )


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a $x", 3, "$ begins something that does not end"),
        ("a\n\nb `x", 5, "` begins something"),
        ("{{x}}", 3, "a fact is written {{text|query}}"),
        ("[x](https://example.org)", 3, "a link must lead to step, scene"),
        ("[x](there)", 3, "write a link as"),
        ("see ![](graph:2)", 3, "a graph is a line of its own"),
        ("![](there.png)", 3, "a graph is a line of its own"),
        ("```\nx", 3, "never ends"),
        ("$$\nx\n\n", 3, "never ends"),
        ("| a | b |\n| - | - |\n| c |", 3, "different numbers of cells"),
        (r"$\frac{{a}}{b}$", 3, "write { {"),
    ],
)
def test_each_problem_is_reported_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(GuideError) as caught:
        blocks(text)
    assert str(caught.value).startswith(f"cube.md:{line}: ")
    assert message in str(caught.value)


def test_a_page_begins_with_its_title() -> None:
    for text in ("", "Title", "#\n", "## Title"):
        with pytest.raises(GuideError, match=r"cube\.md:1"):
            read_page("cube", text)


# A page in another language has the facts, links, code and headings of the English one.


OTHERS = available_languages()[1:]
_CODE = re.compile(r"```.*?```", re.DOTALL)
_KEPT = {
    "facts": re.compile(r"\|([^{}|]*)\}\}"),
    "links": re.compile(r"\]\(([^)]*)\)"),
    "code": re.compile(r"`[^`\n]+`"),
    "formulas": re.compile(r"\$\$.*?\$\$|\$[^$]+\$", re.DOTALL),
    "comments": re.compile(r"<!--.*?-->"),
    "headings": re.compile(r"^#+ ", re.MULTILINE),
    "items": re.compile(r"^(?:- |\d+\. )", re.MULTILINE),
    "rows": re.compile(r"^\|", re.MULTILINE),
}


def kept_parts(source: str) -> dict[str, Counter[str]]:
    """What a translation leaves as it is, by its kind."""
    text = _CODE.sub("", source)
    found = {kind: Counter(pattern.findall(text)) for kind, pattern in _KEPT.items()}
    return {**found, "blocks": Counter(_CODE.findall(source))}


@pytest.mark.parametrize("language", OTHERS)
def test_it_says_the_same_with_the_same_facts(language: str) -> None:
    for name in page_names():
        if doctor_rule(name) is None:
            english, translated = page_source(name, "en"), page_source(name, language)
            assert translated != english, name
            assert kept_parts(translated) == kept_parts(english), name
            assert page(name, language).title != "", name


def test_other_numbers_and_links_are_found() -> None:
    english = kept_parts("# A\n{{2|query}} [in `x`](step:5) is $y$")
    assert kept_parts("# B\n$y$: {{2|query}} [von `x`](step:5)") == english
    for wrong in (
        "# A\n{{2|other}} [in `x`](step:5) is $y$",
        "# A\n{{2|query}} [in `x`](step:6) $y$",
    ):
        assert kept_parts(wrong) != english


@pytest.mark.parametrize("language", thinned(OTHERS))
def test_its_facts_are_numbers_as_in_english_and_words_of_its_language(
    language: str, tmp_path: Path
) -> None:
    load_language(language)
    # A trace stores its findings and diagnoses in the language of its recording.
    recordings = Recordings(tmp_path)
    try:
        for name in page_names():
            if doctor_rule(name) is None:
                sentence = partial(answer, page=name, recordings=recordings)
                sources = (page_source(name, each) for each in ("en", language))
                assert wrong_facts(*sources, sentence) == [], f"{name}: run make guide"
    finally:
        recordings.close()
        load_language("en")


def test_a_wrong_fact_is_found() -> None:
    assert wrong_facts("{{2|a}} {{3|b}}", "{{3|b}}, {{2|a}}") == []
    assert wrong_facts("{{2|a}}", "{{3|a}}") == ["a: 2", "a: 3"]
    assert wrong_facts("{{2|a}} {{2|a}}", "{{2|a}}") == ["a: 2"]


# The guide's pages: one for each scene, in one order.


def test_every_scene_has_one_page() -> None:
    pages = [page for chapter in CHAPTERS for page in chapter.scenes]
    assert sorted(pages) == sorted(scene.id for scene in SCENES)


def test_pages_are_walked_from_first_to_last() -> None:
    page: str | None = PAGES[0]
    walked = []
    while page is not None:
        walked.append(page)
        page = neighbours(page)[1]
    assert walked == list(PAGES)
    assert [neighbours(page)[0] for page in PAGES] == [None, *PAGES[:-1]]


def test_a_page_knows_its_chapter() -> None:
    assert chapter_of("cube").id == "differentiate-twice"
    assert chapter_of("check-it").id == "check-it"
    with pytest.raises(UnknownPageError, match="no page 'cub'"):
        chapter_of("cub")


# Pages in a terminal: Unicode formulas, links with targets, aligned tables.


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac{\partial L}{\partial x_0} = 2 x_0", "∂L/∂x₀ = 2 x₀"),
        (r"\bar X = \bar Y \, W^\top", "X̅ = Y̅ Wᵀ"),
        (r"L'' = 12x^2", "L″ = 12x²"),
        (r"10^{-6}", "10⁻⁶"),
        (r"\varepsilon \approx \sqrt[3]{u}", "ε ≈ ³√(u)"),
        (
            r"\frac{f(x + \varepsilon) - f(x - \varepsilon)}{2\varepsilon}",
            "(f(x + ε) - f(x - ε))/(2ε)",
        ),
        (r"\bar p = \tfrac{2}{N} (p - t)", "p̅ = 2/N (p - t)"),
        (r"s = \sum_k y_{bo}", "s = ∑ₖ y_(bo)"),
        (r"\begin{bmatrix} 0 & 1 \\ 2 & 3 \end{bmatrix}", "[ 0 1; 2 3 ]"),
    ],
)
def test_a_formula_is_one_line_of_unicode(latex: str, text: str) -> None:
    found = unicode_formula(latex)
    assert unicodedata.normalize("NFD", found) == unicodedata.normalize("NFD", text)


@pytest.mark.parametrize("name", page_names())
def test_no_page_shows_latex(name: str) -> None:
    code = False
    for line in text_lines(page(name)):
        code = line.startswith("    ") and (code or "def " in line or "class " in line)
        assert code or "\\" not in line


def test_a_link_shows_its_target() -> None:
    text = "[Into it](step:5/backward), then [compare](compare:linear); see [cube](scene:cube)."
    *_, line = text_lines(read_page("x", f"# Title\n\n{text}"))
    assert line == ("Into it (step 5/backward), then compare (compare with linear); see cube.")


def test_columns_of_a_table_are_aligned_below_combining_marks() -> None:
    *_, first, second = text_lines(
        read_page("x", "# T\n\n| a | b |\n|-|-|\n| $\\bar X$ | 1 |\n| XY | 2 |")
    )
    assert unicodedata.normalize("NFD", first).replace("\u0305", "").index("1") == second.index("2")
