"""Help and errors are wholly in the language of the locale, the words of argparse included."""

from __future__ import annotations

import argparse
import ast
import inspect
import re
from collections.abc import Iterator
from unicodedata import east_asian_width

import pytest

from gradviz.catalogue.command_messages import MESSAGES_COMMANDS
from gradviz.catalogue.language import available_languages, load_language, translated
from gradviz.cli.main import main
from gradviz.cli.parser import make_parser

OTHERS = [each for each in available_languages() if each != "en"]
TEXTS = {key: text for key, text in MESSAGES_COMMANDS.items() if key.startswith("argparse.")}
WRONG = (
    "--foo",
    "steps",
    "record",
    "steps a --format",
    "steps a --format x",
    "steps a --format json --find nan",
    "desktop --install=3",
    "desktop",
    "completion",
    "view a b",
)


@pytest.fixture(params=OTHERS)
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    load_language(request.param)
    yield request.param
    load_language("en")


def words_of(text: str) -> set[str]:
    """The words of a text, without options, placeholders, and what is quoted."""
    text = re.sub(r"--?[\w-]+|%\(\w+\)\w|`[^`]*`|\{[^}]*\}", " ", text)
    return set(re.findall(r"\b[a-z]{4,}\b", text))


ENGLISH = set().union(*map(words_of, TEXTS.values()))


NOT_SHOWN = {
    ".__call__() not defined",
    "%(prog)s: error: %(message)s\n",
    "%r is not callable",
    "%(prog)s: warning: %(message)s\n",
    'argument "-" with mode %r',
    "can't open '%(filename)s': %(error)s",
    "cannot have multiple subparser arguments",
    "cannot merge actions - two groups are named %r",
    "conflicting option string: %s",
    "conflicting option strings: %s",
    "conflicting subparser alias: %s",
    "conflicting subparser: %s",
    "dest= is required for options like %r",
    "invalid conflict_resolution value: %r",
    "invalid option string %(option)r: must start with a character %(prefix_chars)r",
    "mutually exclusive arguments must be optional",
    "'required' is an invalid argument for positionals",
    # For what gradviz does not use: deprecated arguments, and titles that it gives itself.
    "argument '%(argument_name)s' is deprecated",
    "command '%(parser_name)s' is deprecated",
    "option '%(option)s' is deprecated",
    "subcommands",
    " (default: %(default)s)",
    "show program's version number and exit",
}
"""Texts for whoever makes a parser."""


def texts_of_argparse() -> Iterator[str]:
    """What argparse of this Python translates."""
    for node in ast.walk(ast.parse(inspect.getsource(argparse))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("_", "ngettext"):
            yield from (str(each.value) for each in node.args if isinstance(each, ast.Constant))


def test_the_catalogue_has_every_text_of_argparse() -> None:
    assert set(texts_of_argparse()) - set(TEXTS.values()) <= NOT_SHOWN


def test_a_translation_has_the_placeholders_of_argparse(language: str) -> None:
    placeholder = re.compile(r"%(?:\(\w+\))?[a-z]")
    for key, text in TEXTS.items():
        found = translated(key, "")
        assert found, key
        assert sorted(placeholder.findall(found)) == sorted(placeholder.findall(text)), key


def test_no_word_of_argparse_is_left_in_the_help(language: str) -> None:
    parser = make_parser().complete()
    for each in (parser, *parser.verbs.values()):
        assert not words_of(each.format_help()) & ENGLISH, each.prog
        assert each.format_usage()


def columns(text: str) -> int:
    return sum(1 + (east_asian_width(each) in "WF") for each in text)


def test_the_help_fits_the_terminal(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    parser = make_parser().complete()
    for each in (parser, *parser.verbs.values()):
        lines = each.format_help().partition("\n\n")[2].splitlines()
        assert [line for line in lines if columns(line) > 80] == []
        assert not [line for line in lines if re.search(r"^ *[，。；：！？、）”]|（$", line)]


@pytest.mark.parametrize("words", WRONG)
def test_no_word_of_argparse_is_left_in_an_error(
    words: str, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words.split()) == 2
    said = capsys.readouterr().err
    load_language("en")
    assert main(words.split()) == 2
    assert words_of(capsys.readouterr().err) & ENGLISH
    assert not words_of(said) & ENGLISH, said


def test_other_parsers_of_the_process_keep_their_texts(language: str) -> None:
    make_parser().complete().format_help()
    assert "usage: " in argparse.ArgumentParser(prog="other").format_help()
