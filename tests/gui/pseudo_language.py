"""A pseudo-language: every letter has an accent, and texts are 40 % longer."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtCore import QTranslator

from tests.architecture.test_lupdate import VIEWER, texts_for_qt
from tests.catalogue.english_texts import ENGLISH

_ACCENTS = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    "ÀƁÇĎÉƑĞĤÎĴĶĻḾÑÕÞɊŔŠŢÜṼŴẊÝŽàƀçďéƒğĥîĵķļḿñõþɋŕšţüṽŵẋýž",
)
_KEPT = re.compile(r"(\{[^{}]*\}|%L?n|\n)")
_FILLER = " ùüš"
_LONGER = 0.4


def pseudo(text: str) -> str:
    """The text in the language, with its placeholders."""
    pieces = _KEPT.split(text)
    length = sum(len(piece) for piece in pieces[::2])
    more = round(length * _LONGER)
    accented = [*pieces]
    accented[::2] = [piece.translate(_ACCENTS) for piece in pieces[::2]]
    return "".join(accented) + (_FILLER * more)[:more].rstrip()


def pseudo_templates() -> dict[str, str]:
    """The sentences in the language."""
    templates = {key: pseudo(text) for key, text in ENGLISH.items()}
    return {**templates, "language.group_separator": "'"}


class PseudoTranslator(QTranslator):
    """Translates what lupdate finds, under the context in which it finds it."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        found = texts_for_qt(sorted(VIEWER.rglob("*.py")), folder)
        self._texts = {(context, text): pseudo(text) for context, text, _ in found}

    def translate(self, context: str, text: str, *_: object) -> str:  # type: ignore[override]
        # Qt takes None, as of a real translator, for "ask the next one"; PySide6's stub lacks it.
        return self._texts.get((context, text))  # type: ignore[return-value]
