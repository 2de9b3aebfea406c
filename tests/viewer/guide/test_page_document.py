"""A guide page in a text document, with text from outside as plain text."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont, QTextBlock, QTextCharFormat, QTextDocument, QTextFormat
from PySide6.QtWidgets import QApplication

from gradviz.gallery.guide.pages import page, page_names
from gradviz.gallery.guide.parser import read_page
from gradviz.gallery.guide.traversal import formulas_on, graphs_on
from gradviz.viewer.guide.formulas import FormulaStyle, PagePicture, pictures_of
from gradviz.viewer.guide.graphs import draw_graph, graph_key
from gradviz.viewer.guide.page_document import WrittenPage, fit_pictures, write_page
from gradviz.viewer.theme.theme import DARK, LIGHT, Theme, mono_family

INK = FormulaStyle(em=16.0, color="#000000", ratio=1.0, axis=4.0)


def document_of(text: str, theme: Theme = LIGHT) -> tuple[QTextDocument, WrittenPage]:
    document = QTextDocument()
    shown = read_page("cube", f"# Title\n\n{text}")
    return document, write_page(document, shown, theme, pictures_of(formulas_on(shown), INK))


def pieces(document: QTextDocument) -> list[tuple[str, QTextCharFormat]]:
    found = []
    block: QTextBlock = document.begin()
    while block.isValid():
        at = block.begin()
        while not at.atEnd():
            found.append((at.fragment().text(), at.fragment().charFormat()))
            at += 1
        block = block.next()
    return found


def format_of(document: QTextDocument, text: str) -> QTextCharFormat:
    return next(made for each, made in pieces(document) if each == text)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_graph_is_drawn_in_the_colors_of_the_theme(qapp: QApplication, theme: Theme) -> None:
    shown = page("nan-masked")
    (figure,) = graphs_on(shown)
    picture = draw_graph(shown, figure, theme, 2.0)
    assert picture.image.width() == 2 * picture.width
    # Between the edge and the boxes.
    assert picture.image.pixelColor(20, 100) == theme.color("canvas")
    document = QTextDocument()
    written = write_page(document, shown, theme, {graph_key(shown, figure): picture})
    assert [each for _, each in written.pictures] == [picture]
    image = next(made.toImageFormat() for _, made in pieces(document) if made.isImageFormat())
    assert image.width() == picture.width
    alt = image.property(QTextFormat.Property.ImageAltText)
    assert alt == "Graph at step 9: NaN in a gradient"


def test_markup_of_other_kinds_stays_text(qapp: QApplication) -> None:
    document, _ = document_of("A <b>name</b> &amp; {{<img src=x>|value x}}")
    assert "A <b>name</b> &amp; <img src=x>" in document.toPlainText()


def test_a_fact_has_a_dotted_line_and_says_where_it_is_from(qapp: QApplication) -> None:
    document, _ = document_of("Is {{12|grad x}} and {{<3>|linear: value input}}.")
    own, other = format_of(document, "12"), format_of(document, "<3>")
    assert own.underlineStyle() == QTextCharFormat.UnderlineStyle.DotLine
    assert "recorded from the scene cube (grad x)" in own.toolTip()
    assert "&lt;3&gt;: recorded from the scene linear (value input)" in other.toolTip()


def test_a_link_is_underlined_and_leads_somewhere(qapp: QApplication) -> None:
    document, where = document_of('First\n\nGo [to *it*](step:5/backward "MyCube.backward").')
    made = format_of(document, "it")
    assert made.anchorHref() == "step:5/backward"
    assert made.fontUnderline()
    assert made.font().italic()
    ((block, number),) = where.steps
    assert number == 5
    assert document.findBlockByNumber(block).text() == "Go to it."


def test_lists_tables_and_code_keep_what_they_hold(qapp: QApplication) -> None:
    document, _ = document_of(
        "1. one\n2. two\n\n| a | b |\n| - | - |\n| c | {{4|value x}} |\n\n"
        "After\n\n```python\nreturn {{5|value x}}  # why\n```"
    )
    text = " ".join(document.toPlainText().split())
    assert text == "Title one two a b c 4 After return 5 # why"
    keyword, fact = format_of(document, "return"), format_of(document, "5")
    assert keyword.font().family() == mono_family()
    assert keyword.foreground().color() == LIGHT.color("code_keyword")
    assert fact.underlineStyle() == QTextCharFormat.UnderlineStyle.DotLine


def test_a_formula_is_a_picture_that_says_its_latex(qapp: QApplication) -> None:
    # Formulas that pages have are rendered.
    document, where = document_of("Of $W^\\top$:\n\n$$L' = 4x^3 = {{32|value y}}$$")
    tips = [made.toolTip() for text, made in pieces(document) if text == "\ufffc"]
    assert len(tips) == 2
    assert "W^\\top" in tips[0]
    assert "32: recorded from the scene cube (value y)" in tips[1]
    assert len(where.pictures) == 1


def test_a_formula_that_is_not_drawn_yet_is_blank(qapp: QApplication) -> None:
    document = QTextDocument()
    write_page(document, read_page("cube", "# T\n\nOf $x^2$."), LIGHT, {})
    inks = {text: each.foreground().color().alpha() for text, each in pieces(document)}
    assert inks["Of "] == 255
    assert inks["x^2"] == 0


def test_wide_formulas_shrink_to_the_width_and_grow_again(qapp: QApplication) -> None:
    document, where = document_of(
        r"$$n_{ij} = \frac{y_j(x + \varepsilon e_i) - y_j(x - \varepsilon e_i)}{2\varepsilon}$$"
    )
    ((position, picture),) = where.pictures
    assert isinstance(picture, PagePicture)

    def width() -> float:
        block = document.findBlock(position)
        return block.begin().fragment().charFormat().toImageFormat().width()

    fit_pictures(document, where, 60)
    assert width() == 60
    fit_pictures(document, where, 10_000)
    assert width() == pytest.approx(picture.width)


@pytest.mark.parametrize("theme", [LIGHT, DARK, Theme(name="light", scale=1.6)])
def test_type_follows_the_theme(qapp: QApplication, theme: Theme) -> None:
    document, _ = document_of("Some **strong** text", theme)
    made, strong = format_of(document, "Some "), format_of(document, "strong")
    assert made.font().pixelSize() == theme.px(14)
    assert made.foreground().color() == theme.color("text")
    assert strong.font().weight() == QFont.Weight.DemiBold


@pytest.mark.parametrize("name", page_names())
def test_every_page_can_be_written(qapp: QApplication, name: str) -> None:
    document = QTextDocument()
    write_page(document, page(name), LIGHT, {})
    text = document.toPlainText()
    assert text.startswith(page(name).title)
    assert "{{" not in text
    assert "](" not in text
