"""Pages in a terminal: Unicode formulas, links with targets, aligned tables."""

from __future__ import annotations

import unicodedata

import pytest

from gradviz.gallery.guide.pages import page, page_names
from gradviz.gallery.guide.parser import read_page
from gradviz.gallery.guide.plain_text import text_lines
from tools.guide.unicode_math import unicode_formula


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
