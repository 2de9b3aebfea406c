"""Every verb that takes a scene takes an entry of a file, and says which ones a file has."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.analysis.position.view_target import ViewTarget
from gradviz.cli.main import main
from gradviz.model.inputs import Offer
from gradviz.store.reader import open_trace
from tests.sweeps import thinned

Captured = pytest.CaptureFixture[str]
VERBS = (
    ["steps", "own.py:Square"],
    ["export", "own.py:Square", "-o", "a.svg"],
    ["export", "linear", "--with", "own.py:Square", "-o", "a.html"],
    ["export", "own.py:Square", "--with", "own.py:Square", "-o", "b.html"],
    ["screenshot", "own.py:Square", "-o", "a.png"],
    ["screenshot", "linear", "--tab", "compare", "--with", "own.py:Square", "-o", "b.png"],
    ["compare", "own.py:Square", "own.py:Square"],
)
FUNCTION = """
import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


def helper(x):
    return x
"""
EXAMPLES = 'EXAMPLES = {"Square": {"x": torch.ones(2, requires_grad=True)}}\n'


@pytest.fixture(autouse=True)
def own(warm_workers: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("own.py")
    path.write_text(FUNCTION + EXAMPLES)
    return path


@pytest.mark.parametrize("words", thinned(VERBS), ids=" ".join)
def test_an_entry_of_a_file_is_run(words: list[str], capsys: Captured) -> None:
    assert main(words) == 0
    captured = capsys.readouterr()
    assert "Square.forward" in captured.out or Path(words[-1]).exists() or words[0] == "compare"


def test_the_window_shows_an_entry_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[ViewTarget] = []

    def open_window(paths: object, target: ViewTarget, **look: object) -> int:
        shown.append(target)
        return 0

    monkeypatch.setattr("gradviz.cli.window.open_window", open_window)
    assert main(["view", "own.py:Square", "--step", "2"]) == 0
    (target,) = shown
    assert isinstance(target.offer, Offer)
    assert (target.offer.subject.name, target.scene, target.step) == ("Square", "", "2")


@pytest.mark.parametrize("words", [*VERBS, ["view", "own.py:Square"]], ids=" ".join)
def test_a_file_without_a_name_says_which_there_are(words: list[str], capsys: Captured) -> None:
    assert main([each.removesuffix(":Square") for each in words]) == 2
    assert capsys.readouterr().err == (
        "gradviz: own.py is code, not a trace. It defines Square: add a name, as in"
        " `own.py:Square`.\n"
    )


@pytest.mark.parametrize("words", [["own.py"], ["-m", "own"]])
def test_a_program_that_only_defines_says_what_can_be_recorded(
    words: list[str], capfd: Captured
) -> None:
    assert main(["record", *words]) == 0
    assert capfd.readouterr().err == (
        f"gradviz: {words[-1]} recorded no use of autograd, so no trace was written. It defines"
        f" Square: add a name, as in `gradviz record {words[-1]}:Square`.\n"
    )
    assert not list(Path().glob("*.gradviz"))


@pytest.mark.parametrize("text", ["print()\n", FUNCTION[: FUNCTION.index("class")] + "x = 1\n"])
def test_a_program_that_defines_nothing_to_run_says_no_more(
    own: Path, text: str, capfd: Captured
) -> None:
    own.write_text(text + "def helper(x):\n    return x\n")
    assert main(["record", "own.py"]) == 0
    assert capfd.readouterr().err.endswith("so no trace was written.\n")


def test_a_nan_names_no_line_of_the_call_that_gradviz_makes(own: Path) -> None:
    own.write_text(
        FUNCTION.replace("x * x", "x.sqrt()") + EXAMPLES.replace("ones(2", "full((2,), -1.0")
    )
    assert main(["record", "own.py:Square", "-o", "own.gradviz"]) == 0
    with open_trace(Path("own.gradviz")) as reader:
        (finding,) = reader.trace().findings
    assert finding.code == "nan_in_forward"
    assert "Square makes the first NaN, from finite inputs." in finding.message
