"""Terminal output contains text from outside as plain text."""

import io
import re
import sys

import pytest

from gradviz.cli.main import main
from gradviz.cli.output import print_error, say, say_lines, say_progress
from tests.programs import run_program


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain\ttext\nsecond line", "plain\ttext\nsecond line"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x1b]0;title\x07rest", r"\x1b]0;title\x07rest"),
        ("a\rb\x08c\x7f\x9b2Jd", r"a\rb\x08c\x7f\x9b2Jd"),
        ("evil\u202eeman\u2028", r"evil\u202eeman\u2028"),
        ("2×3 ε", "2×3 ε"),
    ],
)
def test_control_characters_are_printed_as_escapes(
    text: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    say_lines(text)
    print_error(text)
    assert capsys.readouterr() == (f"{expected}\n", f"gradviz: {expected}\n")


def test_a_line_stays_one_line_and_a_long_error_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    say("a\nb")
    print_error("x\x00" * 5_000)
    out, error = capsys.readouterr()
    assert out == "a\\nb\n"
    assert len(error) == len("gradviz: \n") + 2_000
    assert error.endswith("… (cut; 10,000 characters in all)\n")


_COLOR = re.compile("\x1b\\[[0-9;]*m")


class Terminal(io.StringIO):
    """Takes what is printed, as a terminal does."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "variables", "colored"),
    [
        (Terminal, {}, True),
        (Terminal, {"NO_COLOR": "1"}, False),
        (Terminal, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        (Terminal, {"TERM": "dumb"}, False),
        (io.StringIO, {}, False),
        (io.StringIO, {"FORCE_COLOR": "1"}, True),
        (io.StringIO, {"FORCE_COLOR": ""}, False),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="depends on the console")
def test_colors_follow_the_terminal_and_the_user(
    stream: type[io.StringIO],
    variables: dict[str, str],
    colored: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    out, error = stream(), stream()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", error)
    say("match", "good")
    say("plain")
    print_error("no such file")
    assert [out.getvalue().startswith("\x1b[1;32mmatch"), "\x1b" in error.getvalue()] == [
        colored
    ] * 2
    assert out.getvalue().endswith("plain\n")
    assert _COLOR.sub("", out.getvalue()) == "match\nplain\n"
    assert _COLOR.sub("", error.getvalue()) == "gradviz: no such file\n"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("to", "code", "words"),
    [
        ("| true", 0, ""),
        (">&-", 0, ""),
        pytest.param(
            ">/dev/full",
            2,
            "gradviz: The output cannot be written: No space left on device.\n",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full"),
        ),
    ],
)
def test_a_closed_pipe(to: str, code: int, words: str) -> None:
    command = f"'{sys.executable}' -m gradviz scenes {to}"
    if "|" in to:
        command = f"set -o pipefail; {command}"
    ended = run_program(["bash", "-c", command])
    assert (ended.returncode, ended.stderr) == (code, words)


def test_progress_is_written_over_itself_and_only_for_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    say_progress("1 of 2")
    assert capsys.readouterr() == ("", "")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    say_progress("1 of 2\x1b[31m\n")
    say_progress("")
    captured = terminal.getvalue()
    assert captured.strip(" \r") == r"1 of 2\x1b[31m\n"
    assert captured.endswith(" \r")


def test_an_error_without_a_console(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert main(["--foo"]) == 2
