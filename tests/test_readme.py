"""The README is short, its commands work, and its translations have the same parts."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from gradviz.catalogue.language import available_languages
from gradviz.cli.parser import make_parser
from tests.programs import run_program
from tools.pictures import readme_programs

ROOT = Path(__file__).parents[1]
MOST_WORDS = 1000
_CODE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_KEPT = {
    "links": re.compile(r"\]\((?!README)([^)]*)\)"),
    "options": re.compile(r"--[a-z][a-z-]+"),
    "headings": re.compile(r"^#+ ", re.MULTILINE),
    "new terms": re.compile(r"(?<!\*)\*(?!\*)"),
    "rows": re.compile(r"^\|", re.MULTILINE),
}
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def readme(language: str = "en") -> str:
    """The README in a language."""
    name = "README.md" if language == "en" else f"README.{language}.md"
    return (ROOT / name).read_text("utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", readme(), re.DOTALL | re.MULTILINE)


def commands() -> list[list[str]]:
    """The arguments of each call of gradviz."""
    lines = "".join(blocks("sh")).splitlines()
    words = [shlex.split(line, comments=True) for line in lines]
    return [arguments for program, *arguments in words if program == "gradviz"]


def kept_parts(text: str) -> dict[str, object]:
    """What a translation leaves as it is, by its kind."""
    prose = _CODE.sub("", text)
    found = {kind: Counter(pattern.findall(prose)) for kind, pattern in _KEPT.items()}
    return {**found, "code": _CODE.findall(text)}


@pytest.mark.parametrize("language", available_languages())
def test_the_readme_is_short(language: str) -> None:
    # About two Chinese characters make a word.
    characters = len(_CHINESE.findall(readme(language)))
    words = len(_CHINESE.sub(" ", readme(language)).split()) + characters // 2
    assert words <= MOST_WORDS


@pytest.mark.parametrize("language", available_languages()[1:])
def test_the_readme_is_the_same_in_every_language(language: str) -> None:
    assert f"(README.{language}.md)" in readme()
    assert kept_parts(readme(language)) == kept_parts(readme())


def test_every_command_is_one_of_the_parser() -> None:
    assert len(commands()) > 5
    for arguments in commands():
        make_parser().parse(arguments)


def test_the_programs_give_what_the_readme_shows(tmp_path: Path) -> None:
    for name, text in readme_programs().items():
        (tmp_path / name).write_text(text, "utf-8")
    check, record = (
        next(arguments for arguments in commands() if arguments[:1] == [verb])
        for verb in ("check", "record")
    )
    (shown,) = blocks("text")
    checked = run(check, tmp_path)
    assert checked.returncode == 1
    assert set(shown.splitlines()) <= set(checked.stdout.splitlines())
    assert run(record, tmp_path).returncode == 0
    (trace,) = tmp_path.glob("*.gradviz")
    assert [trace.name] in commands()


def run(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gradviz", *arguments]
    return run_program(command, cwd=folder, encoding="utf-8", timeout=120)


@pytest.mark.parametrize("language", available_languages())
def test_every_link_leads_to_a_file(language: str) -> None:
    found = re.findall(r"\]\(([^)#:]+)\)", readme(language))
    assert len(found) > 20
    assert [link for link in found if not (ROOT / link).is_file()] == []
