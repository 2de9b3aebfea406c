"""Every verb names the format of what it prints and the file that it writes alike."""

import argparse
import os
from pathlib import Path

import pytest

from gradviz.cli.main import main
from gradviz.cli.parser import Parser, make_parser

VERBS = sorted(make_parser().complete().verbs.items())


@pytest.mark.parametrize(("name", "verb"), VERBS)
def test_each_verb_has_the_same_words_for_format_and_output(name: str, verb: Parser) -> None:
    actions: list[argparse.Action] = vars(verb)["_actions"]
    for each in actions:
        options, choices = set(each.option_strings), set(each.choices or ())
        assert ("-o" in options) == (each.dest == "output"), name
        assert ("--format" in options) == ("json" in choices), name
        assert not options & {"--json", "--sarif", "--junit", "--svg", "--png", "--npz"}, name
        assert options or not str(each.metavar).startswith("OUT"), name


@pytest.mark.parametrize(
    "words",
    [
        ["export", "linear", "-o", "pipe.svg"],
        ["export", "linear", "-o", "pipe.png"],
        ["export", "linear", "-o", "pipe.npz"],
        ["export", "linear", "-o", "pipe.pdf"],
        ["check", "linear", "-o", "pipe.xml"],
        ["doctor", "own.py", "-o", "pipe.xml"],
        ["screenshot", "linear", "-o", "pipe.png"],
        ["record", "linear", "-o", "pipe.gradviz"],
    ],
)
def test_an_output_is_no_pipe(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gradviz.host.pool.run_blocking", None)
    (tmp_path / "own.py").touch()
    os.mkfifo(words[-1])
    assert main(words) == 2
    assert f"{words[-1]} cannot be written: it is a pipe or device" in capsys.readouterr().err
