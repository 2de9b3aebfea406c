"""A translation keeps the keys and placeholders of the sentences."""

from __future__ import annotations

import json
from collections.abc import Mapping
from string import Formatter

from gradviz.catalogue.backward_formulas import english_notes
from gradviz.catalogue.messages import MESSAGES
from gradviz.gallery.registry import english_texts as scene_texts
from tests.architecture.layers import PACKAGE

TRANSLATIONS = PACKAGE.parent / "resources" / "translations"


ENGLISH = {**MESSAGES, **english_notes(), **scene_texts()}
"""Everything that a language may translate."""


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def problems(templates: Mapping[str, str]) -> list[str]:
    """Unused keys, and placeholders that differ from the English ones."""
    unknown = [f"{key} is unknown" for key in templates.keys() - ENGLISH.keys()]
    return sorted(unknown) + [
        f"{key} has other placeholders"
        for key in templates.keys() & ENGLISH.keys()
        if fields(templates[key]) != fields(ENGLISH[key])
    ]


def test_every_language_fits() -> None:
    for path in TRANSLATIONS.glob("messages_*.json"):
        assert problems(json.loads(path.read_text("utf-8"))) == [], path.name


def test_what_does_not_fit_is_found() -> None:
    assert problems({"list.two": "{first} und {last}"}) == []
    assert problems({"list.two": "{first} und {rest}"}) == ["list.two has other placeholders"]
    assert problems({"list.three": "{first}"}) == ["list.three is unknown"]
