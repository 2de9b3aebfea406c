"""Parsing pages; malformed pages are refused with file and line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.gallery.guide.facts import facts_in, fill_facts
from gradviz.gallery.guide.page import (
    CodeBlock,
    DisplayFormula,
    EmphasizedText,
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
from gradviz.gallery.guide.parser import read_page

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
