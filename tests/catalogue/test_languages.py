"""A translation keeps the keys and placeholders of the sentences."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from string import Formatter
from xml.etree import ElementTree

import pytest

from gradviz.catalogue.language import (
    available_languages,
    fill_template,
    load_language,
    locale_language,
    percent_text,
    translated,
    use_language,
)
from gradviz.catalogue.templates import MESSAGES
from gradviz.drawing.appearance.font_metrics import read_font
from tests.architecture.layers import PACKAGE
from tests.catalogue.english_texts import ENGLISH

TRANSLATIONS = PACKAGE.parent / "resources" / "translations"
OTHERS = available_languages()[1:]


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def problems(templates: Mapping[str, str]) -> list[str]:
    """Unused keys, and placeholders and ends that differ from the English ones."""
    unknown = [f"{key} is unknown" for key in templates.keys() - ENGLISH.keys()]
    return sorted(unknown) + [
        f"{key} has other placeholders"
        for key in templates.keys() & ENGLISH.keys()
        if fields(templates[key]) != fields(ENGLISH[key])
    ]


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_is_complete_and_fits(language: str) -> None:
    templates = json.loads((TRANSLATIONS / f"messages_{language}.json").read_text("utf-8"))
    assert problems(templates) == []
    assert ENGLISH.keys() - templates.keys() == set()


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_of_the_window_is_translated_and_fits(language: str) -> None:
    root = ElementTree.parse(TRANSLATIONS / f"gradviz_{language}.ts").getroot()
    wrong = []
    for message in root.iter("message"):
        source, translation = message.findtext("source"), message.find("translation")
        assert source is not None
        assert translation is not None
        assert translation.get("type") is None, f"{source!r} is unfinished"
        texts = [each.text for each in translation.iter("numerusform")] or [translation.text]
        wrong += [(source, text) for text in texts if not text or marks(text) != marks(source)]
    assert wrong == []


def marks(text: str) -> tuple[set[str], int]:
    """Placeholders and the number of access keys."""
    return set(re.findall(r"\{[^{}]*\}|%L?n", text)), text.count("&")


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({"LANG": "de_AT.UTF-8"}, "de"),
        ({"LC_ALL": "C.UTF-8", "LANG": "de_DE", "LANGUAGE": "de"}, "en"),
        ({"LANGUAGE": "xx:de", "LC_ALL": "en_US.UTF-8"}, "de"),
        ({"LC_ALL": "", "LC_MESSAGES": "de@euro"}, "de"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({}, "en"),
    ],
)
def test_the_command_line_speaks_the_language_of_the_locale(
    variables: dict[str, str], language: str
) -> None:
    assert locale_language(variables) == language


def test_what_does_not_fit_is_found() -> None:
    assert problems({"list.two": "{first} und {last}"}) == []
    assert problems({"list.two": "{first} und {rest}"}) == ["list.two has other placeholders"]
    assert problems({"list.three": "{first}"}) == ["list.three is unknown"]


@pytest.mark.parametrize("language", OTHERS)
def test_a_bundled_font_has_every_character(language: str) -> None:
    resources = TRANSLATIONS.parent
    fonts = (read_font(path) for path in (resources / "fonts").glob("*-Regular.*"))
    known = set().union(*(font.advances for font in fonts))
    texts = [*TRANSLATIONS.glob(f"*_{language}.[jt]s*"), *resources.glob(f"guide/{language}/*.md")]
    texts += resources.glob(f"lessons/{language}/*")
    used = set("".join(path.read_text("utf-8") for path in texts))
    assert {each for each in used if each.isprintable() and ord(each) not in known} == set()


@pytest.mark.parametrize(
    ("template", "values", "text"),
    [
        (
            "{where} 保存了 {name}，",
            {"where": "Cube（第 12 行）", "name": "x"},
            "Cube（第 12 行）保存了 x，",
        ),
        ("传出梯度给 {name}。", {"name": "叶子张量"}, "传出梯度给叶子张量。"),
        ("{first} {rest}", {"first": "返回 [2]。", "rest": "未定义。"}, "返回 [2]。未定义。"),
        ("{count:,} 个 {name}", {"count": 1234, "name": "x"}, "1,234 个 x"),
        ("ctx {name}", {"name": "变量"}, "ctx 变量"),
        ("是 {text} 的", {"text": " “a 。 b” "}, "是  “a 。 b”  的"),
        ("空 {none} 的", {"none": ""}, "空  的"),
    ],
)
def test_chinese_has_spaces_only_beside_latin_text(
    template: str, values: dict[str, object], text: str
) -> None:
    english = fill_template(template, values)
    assert english == template.format(**values)
    load_language("zh")
    try:
        assert fill_template(template, values) == text
    finally:
        use_language("en", {})


NOT_USED = {"de": ("Transposition",)}
"""Words for which the glossary of a language has another one."""


@pytest.mark.parametrize("language", NOT_USED)
def test_one_word_means_one_thing(language: str) -> None:
    paths = [TRANSLATIONS / f"messages_{language}.json", TRANSLATIONS / f"gradviz_{language}.ts"]
    for folder in ("guide", "lessons"):
        paths += (TRANSLATIONS.parent / folder / language).iterdir()
    texts = [path.read_text("utf-8") for path in paths]
    assert [word for word in NOT_USED[language] if any(word in text for text in texts)] == []


PERCENT = re.compile(r"[\d}]\s%(?![\w(])")


def test_only_german_writes_a_space_before_percent() -> None:
    for name in ("en", "zh"):
        load_language(name)
        assert percent_text("50") == "50%"
        root = ElementTree.parse(TRANSLATIONS / f"gradviz_{name}.ts").getroot()
        texts = [each.text or "" for each in root.iter("translation")]
        texts += [each.text or "" for each in root.iter("source")]
        texts += [translated(key, text) for key, text in MESSAGES.items()]
        assert [each for each in texts if PERCENT.search(each)] == []
    load_language("de")
    assert percent_text("50") == "50\u00a0%"
    load_language("en")
