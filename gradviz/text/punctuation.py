"""Full stops of sentences and the spaces between them, as the language writes them."""

from __future__ import annotations

from collections.abc import Iterable

from gradviz.catalogue.language import translated

_WIDE_ENDS = ("。", "！", "？", "：", "；")
"""Marks that need no space after them."""
_STOPS = (".", "。")
_ENDS = (*_STOPS, "!", "?", "！", "？", "…")


def join_sentences(sentences: Iterable[str | None]) -> str:
    """Sentences one after the other, without those that are empty."""
    parts: list[str] = []
    for sentence in filter(None, sentences):
        if parts and not parts[-1].endswith(_WIDE_ENDS):
            parts.append(" ")
        parts.append(sentence)
    return "".join(parts)


def with_full_stop(text: str) -> str:
    """A sentence that ends with quoted text; a full stop is added if it has no end mark."""
    return text if text.endswith(_ENDS) else text + translated("language.full_stop", ".")


def without_full_stop(text: str) -> str:
    """A sentence that is quoted inside another one."""
    return text[:-1] if text.endswith(_STOPS) else text
