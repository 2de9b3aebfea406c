"""The examples of the documentation's pages work, and print what the pages say."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradviz.cli.main import main
from gradviz.cli.parser import make_parser
from tests.site.pages import PAGES, blocks, titled_files

_NOT_HERE = re.compile(
    # They open a window, change this machine, need another one or a file of the reader, or draw
    # all stops of the lecture, as the page about lessons does with a shorter one.
    r"gradviz( \S+\.(py|ipynb|gradviz))?$|gradviz (lesson|view) [\w.-]+$|gradviz desktop"
    r"|export lecture"
    r"|FILE\.|rank\*|\.ipynb|cuda|package\.train"
)
_DIFFERS = ("check", "doctor", "compare")
"""Verbs that exit with 1 for what they found."""


def commands(text: str) -> Iterator[list[str]]:
    """The calls of gradviz in a block, as lists of words; other programs are left out."""
    for line in text.splitlines():
        first, *words = shlex.split(line, comments=True) or [""]
        if first == "gradviz" and not {"|", ">"} & {*words}:
            yield words


def test_every_command_is_accepted() -> None:
    """So a renamed option is found at once; the sweep runs them."""
    found = [
        words
        for page in PAGES
        for language, _, text in blocks(page)
        if language == "sh"
        for words in commands(text)
    ]
    assert len(found) > 50
    for words in found:
        make_parser().parse(words)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a reader has who has followed the other pages."""
    folder = tmp_path_factory.mktemp("reader")
    for name, text in titled_files().items():
        (folder / name).write_text(text, encoding="utf-8")
    trace = str(folder / "run.gradviz")
    assert main(["record", "linear", "-o", trace]) == 0
    assert main(["export", trace, "-o", str(folder / "run.npz")]) == 0
    return folder


def assert_prints(output: str, shown: str) -> None:
    """Assert that an output has the lines that a page shows; ``...`` stands for any text."""
    for line in shown.splitlines():
        pattern = ".*".join(map(re.escape, line.split("...")))
        assert re.search(pattern, output), (line, output)


@pytest.mark.sweep
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    "page", [page for page in PAGES if {"sh", "python"} & {each[0] for each in blocks(page)}]
)
def test_the_examples_of_a_page_work(
    page: str,
    folder: Path,
    warm_workers: None,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder)
    output, program = "", ""
    for language, title, text in blocks(page):
        if language == "sh":
            output = ""
            for words in commands(text):
                if _NOT_HERE.search(shlex.join(["gradviz", *words])):
                    continue
                code = main(words)
                found = capfd.readouterr()
                expected = (0, 1) if words[0] in _DIFFERS else (0,)
                assert code in expected, (words, found)
                output += found.out
        elif language == "text" and output:
            assert_prints(output, text)
        elif language == "python" and not title and page != "reference/errors.md":
            program += text
    if program:
        done = subprocess.run(
            [sys.executable, "-c", program],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=400,
            check=False,
        )
        assert done.returncode == 0, done.stderr
