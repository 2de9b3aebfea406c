"""Formulas as Unicode text, for readers that cannot draw them."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from pylatexenc.latex2text import (
    LatexNodes2Text,
    MacroTextSpec,
    get_default_latex_context_db,
)

_SUPERSCRIPTS = str.maketrans("0123456789+-=()aijknT", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃⁱʲᵏⁿᵀ")
_SUBSCRIPTS = str.maketrans("0123456789+-=()aeijklmnopstx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₖₗₘₙₒₚₛₜₓ")
_SCRIPT = re.compile(r"([_^])(?:\{([^{}]*)\}|(\w))")
_TRANSPOSE = re.compile(r"\^\{?\\top\}?")
_ROOT = re.compile(r"\\sqrt\[(\d)\]")
_OPERATOR = re.compile(r"\s*(:=|[·×=≤≥≈])\s*")
_SIMPLE = re.compile(r"[d∂]?(?:\d+|[^\W\d][\u0305'″₀-ₜⁱⱼᵢ⁰-ⁿ²³¹]*)")
_SPACE = re.compile(r"\s+")


def unicode_formula(latex: str) -> str:
    r"""Format a formula as one line of text, like ``∂L/∂x₀ = 2 x₀`` for ``\frac{...}{...}``.

    A superscript or subscript without Unicode characters stays as ``x^(a/b)`` or ``Y_(bo)``.
    """
    latex = latex.replace(r"\tfrac", r"\frac").replace("''", "″")
    latex = _ROOT.sub(lambda match: match[1].translate(_SUPERSCRIPTS) + r"\sqrt", latex)
    latex = _SCRIPT.sub(_script, _TRANSPOSE.sub("ᵀ", latex))
    text = _converter().latex_to_text(f"${latex}$").replace("∂ ", "∂")
    return _SPACE.sub(" ", _OPERATOR.sub(r" \1 ", text)).strip()


def _script(match: re.Match[str]) -> str:
    mark, text = match[1], match[2] if match[2] is not None else match[3]
    table = _SUPERSCRIPTS if mark == "^" else _SUBSCRIPTS
    if text and all(ord(character) in table for character in text):
        # In braces, so that a letter does not join the name of a macro in front of it.
        return f"{{{text.translate(table)}}}"
    return match[0] if len(text) == 1 else f"{mark}({text})"


@cache
def _converter() -> LatexNodes2Text:
    context = get_default_latex_context_db()
    fraction = MacroTextSpec("frac", simplify_repl=_fraction)
    context.add_context_category("gradviz", prepend=True, macros=[fraction])
    return LatexNodes2Text(math_mode="text", latex_context=context)


def _fraction(node: Any, l2tobj: LatexNodes2Text) -> str:
    parts = (l2tobj.nodelist_to_text([each]) for each in node.nodeargs)
    over, under = (part.strip().replace("∂ ", "∂") for part in parts)
    return f"{_grouped(over)}/{_grouped(under)}"


def _grouped(text: str) -> str:
    """Put parentheses around a numerator or denominator that is more than one symbol."""
    return text if _SIMPLE.fullmatch(text) else f"({text})"
