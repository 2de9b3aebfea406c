"""Pages are read into values, and what is not written as a page is refused by file and line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.gallery.guide.blocks import read_page
from gradviz.gallery.guide.facts import facts_in, filled
from gradviz.gallery.guide.page import (
    Block,
    Code,
    CodeBlock,
    Display,
    Fact,
    Formula,
    GuideError,
    Heading,
    Link,
    Listing,
    Paragraph,
    Span,
    Stressed,
    Table,
    Words,
)

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


def blocks(text: str) -> tuple[Block, ...]:
    return read_page("cube", f"# Title\n\n{text}").blocks


def spans(text: str) -> tuple[Span, ...]:
    (block,) = blocks(text)
    assert isinstance(block, Paragraph)
    return block.spans


@given(st.lists(_PIECES).map("".join) | st.text())
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
        assert spans(text) == (Words(text=text),)


@given(st.text(), st.lists(st.text(alphabet="ab 12[],.|", max_size=6), max_size=4))
def test_filling_changes_facts_and_nothing_else(around: str, texts: list[str]) -> None:
    around = around.replace("{", "").replace("}", "")
    text = around.join(f"{{{{{old}|query {at}}}}}" for at, old in enumerate(texts))
    new = filled(text, lambda query: f"<{query}>")
    assert new == around.join(f"{{{{<query {at}>|query {at}}}}}" for at in range(len(texts)))
    assert [fact.text for _, fact in facts_in(text)] == texts


def test_text_has_stress_code_formulas_facts_and_links() -> None:
    text = "Of **grad *x* now** in `f({{2|value x}})`: ${{6|grad x}}x$ is {{12|step 5 returned x}}."
    assert spans(text) == (
        Words(text="Of "),
        Stressed(
            strong=True,
            spans=(
                Words(text="grad "),
                Stressed(strong=False, spans=(Words(text="x"),)),
                Words(text=" now"),
            ),
        ),
        Words(text=" in "),
        Code(
            parts=(Words(text="f("), Fact(text="2", query="value x"), Words(text=")")),
        ),
        Words(text=": "),
        Formula(latex="6x", facts=(Fact(text="6", query="grad x"),)),
        Words(text=" is "),
        Fact(text="12", query="step 5 returned x"),
        Words(text="."),
    )


def test_names_keep_their_underscores_and_products_their_stars() -> None:
    assert spans("grad_output * saved_x * 2") == (Words(text="grad_output * saved_x * 2"),)


def test_a_link_knows_where_it_leads() -> None:
    (link,) = spans('[go *there* {{[[1]]|value x}}](step:5/backward/line2 "MyCube.backward")')
    assert isinstance(link, Link)
    assert (link.kind, link.target, link.title) == (
        "step",
        "5/backward/line2",
        "MyCube.backward",
    )
    assert link.spans[-1] == Fact(text="[[1]]", query="value x")


def test_brackets_without_a_target_are_text() -> None:
    assert spans("[1, 2] and [O,I]") == (Words(text="[1, 2] and [O,I]"),)


def test_a_page_has_headings_lists_tables_code_notes_and_formulas() -> None:
    found = blocks(
        "## Head\nText\nmore\n- one\n  two\n- three\n\n1. first\n\n"
        "| a | `b|c` |\n| --- | :-: |\n| {{1|value x}} | $|x|$ |\n\n"
        "```python\ny = {{2|value y}}\n```\n> Note\n> well.\n$$\nx^2\n$$\n"
    )
    kinds = [Heading, Paragraph, Listing, Listing, Table, CodeBlock, Paragraph, Display]
    assert [type(each) for each in found] == kinds
    assert found[1] == Paragraph(line=4, spans=(Words(text="Text more"),))
    assert found[2] == Listing(
        line=6, items=((Words(text="one two"),), (Words(text="three"),)), ordered=False
    )
    assert isinstance(found[4], Table)
    assert found[4].rows == (((Fact(text="1", query="value x"),), (Formula(latex="|x|"),)),)
    assert found[5] == CodeBlock(
        line=16,
        language="python",
        parts=(Words(text="y = "), Fact(text="2", query="value y")),
    )
    assert found[6] == Paragraph(line=19, spans=(Words(text="Note well."),), aside=True)
    assert found[7] == Display(line=21, formula=Formula(latex="x^2"))


def test_a_fact_may_stand_in_braces_of_a_formula() -> None:
    fact = Fact(text=r"\frac{1}{2}", query="value x")
    assert spans(r"$x^{{{\frac{1}{2}|value x}}}$") == (
        Formula(latex=r"x^{\frac{1}{2}}", facts=(fact,)),
    )


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a $x", 3, "$ begins something that does not end"),
        ("a\n\nb `x", 5, "` begins something"),
        ("{{x}}", 3, "a fact is written {{text|query}}"),
        ("[x](https://example.org)", 3, "a link leads to step, scene"),
        ("[x](there)", 3, "a link is written"),
        ("```\nx", 3, "never ends"),
        ("$$\nx\n\n", 3, "never ends"),
        ("| a | b |\n| - | - |\n| c |", 3, "different numbers of cells"),
        (r"$\frac{{a}}{b}$", 3, "write { {"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(GuideError) as caught:
        blocks(text)
    assert str(caught.value).startswith(f"cube.md:{line}: ")
    assert message in str(caught.value)


def test_a_page_begins_with_its_title() -> None:
    for text in ("", "Title", "#\n", "## Title"):
        with pytest.raises(GuideError, match=r"cube\.md:1"):
            read_page("cube", text)
