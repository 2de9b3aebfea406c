"""The window's language: plural forms, numbers, and English for missing texts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from gradviz.catalogue import language
from gradviz.catalogue.language import (
    current_language,
    format_count,
    load_language_of,
    use_language,
)
from gradviz.catalogue.messages import say
from gradviz.host.process import environment
from gradviz.viewer import translation
from gradviz.viewer.translation import install_language, plural


@pytest.fixture
def german(qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A German catalogue with one translated sentence."""
    (tmp_path / "messages_de.json").write_text(
        '{"list.two": "{first} und {last}", "language.group_separator": "."}', "utf-8"
    )
    english = translation.resource_path("translations") / "gradviz_en.qm"
    (tmp_path / english.name).write_bytes(english.read_bytes())
    for module in (language, translation):
        monkeypatch.setattr(module, "resource_path", lambda _: tmp_path)
    install_language(qapp, "de")
    yield
    monkeypatch.undo()
    install_language(qapp, "en")


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 steps"), (1, "1 step"), (2, "2 steps"), (12_345, "12,345 steps")]
)
def test_a_number_chooses_the_form(count: int, text: str) -> None:
    assert plural.tr("%Ln step(s)", "", count) == text


def test_a_number_beyond_qts_int_has_a_form() -> None:
    assert (
        plural.tr("{count} element(s)", "", 2**40).format(count=2**40) == "1099511627776 elements"
    )


def test_numbers_have_separators() -> None:
    assert [format_count(count) for count in (7, 1234, -12_345_678)] == [
        "7",
        "1,234",
        "-12,345,678",
    ]


def test_a_language_has_its_own_sentences_and_numbers(german: None) -> None:
    assert say("list.two", first="a", last="b") == "a und b"
    assert format_count(1234) == "1.234"
    assert plural.tr("%Ln step(s)", "", 1234) == "1.234 steps"
    assert current_language() == "de"


def test_a_child_process_uses_the_same_language(german: None) -> None:
    variables = environment()
    use_language("en", {})
    load_language_of(variables)
    assert say("list.two", first="a", last="b") == "a und b"
    assert format_count(1234) == "1.234"


def test_what_a_language_lacks_is_english(german: None) -> None:
    assert say("list.more", first="a", rest="b") == "a, b"


def test_installing_twice_leaves_one_translator(qapp: QApplication) -> None:
    install_language(qapp, "en")
    before = len(qapp.findChildren(QTranslator))
    install_language(qapp, "en")
    assert len(qapp.findChildren(QTranslator)) == before
    assert QLocale().name() == "en_US"
