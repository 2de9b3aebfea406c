"""``gradviz check`` on user files, with all output formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.cli.main import main
from gradviz.gallery.registry import offer_of, scene
from gradviz.host.pool import run_blocking
from gradviz.protocol.messages import CheckRequest
from tests.schemas import assert_fits

Captured = pytest.CaptureFixture[str]

FILE = """
import torch
from torch.autograd import Function

class Half(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x

class Right(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 3

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 3

class Blind(Function):
    "Reads the memory of grad_output as if it were dense."
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return torch.as_strided(grad_output, grad_output.shape, (3, 1), 0).clone()

class Cut(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad_output):
        raise ValueError("no gradient today")

def plain(x):
    return x * x

X = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
"""
EXAMPLES = "EXAMPLES = {{{}}}\n"


def written(folder: Path, *names: str) -> Path:
    path = folder / "mine.py"
    examples = ", ".join(f'"{name}": (X,)' for name in names)
    path.write_text(FILE + EXAMPLES.format(examples))
    return path


def documents(captured: Captured) -> list[dict[str, Any]]:
    found = json.loads(captured.readouterr().out)
    listed = found if isinstance(found, list) else [found]
    for each in listed:
        assert_fits(each, "check")
    return listed


def test_all_examples_of_a_file_are_checked(tmp_path: Path, capsys: Captured) -> None:
    path, junit = written(tmp_path, "Half", "Right"), tmp_path / "report.xml"
    assert main(["check", str(path), "--format", "json", "-o", str(junit)]) == 1
    found = documents(capsys)
    assert [each["subject"] for each in found] == ["mine.py:Half", "mine.py:Right"]
    assert [each["passed"] for each in found] == [False, True]
    assert [each["diagnosis"] for each in found] == ["factor_constant", "none"]
    root = ElementTree.parse(junit).getroot()
    assert [suite.attrib["name"] for suite in root] == ["mine.py:Half", "mine.py:Right"]
    assert (root.attrib["tests"], root.attrib["failures"], root.attrib["errors"]) == ("4", "1", "0")


def test_what_passes_exits_with_0(tmp_path: Path, capsys: Captured) -> None:
    path = written(tmp_path, "Right")
    assert main(["check", f"{path}:Right"]) == 0
    captured = capsys.readouterr().out
    assert "diagnosis [none]" in captured


def test_what_gradcheck_does_not_see_exits_with_1(tmp_path: Path, capsys: Captured) -> None:
    path = written(tmp_path, "Blind")
    assert main(["check", str(path), "--format", "json"]) == 1
    (document,) = documents(capsys)
    assert (document["verdict"], document["passed"]) == ("match", False)
    assert document["diagnosis"] == "stride_blind"
    assert main(["check", str(path), "--format", "json", "--no-battery"]) == 0


def test_an_error_decides_over_a_mismatch_and_the_rest_is_checked(
    tmp_path: Path, capsys: Captured
) -> None:
    path, junit = written(tmp_path, "Cut", "Half"), tmp_path / "report.xml"
    assert main(["check", str(path), "-o", str(junit)]) == 2
    captured = capsys.readouterr().out
    assert "Cut: it could not be checked" in captured
    assert "Half: the analytical and the numerical" in captured
    root = ElementTree.parse(junit).getroot()
    assert (root.attrib["errors"], root.attrib["failures"]) == ("1", "1")


@pytest.mark.sweep
def test_a_reference_of_the_same_file_and_of_another(tmp_path: Path, capsys: Captured) -> None:
    path = written(tmp_path, "Half")
    for reference in ("plain", f"{path}:plain"):
        assert main(["check", f"{path}:Half", "--reference", reference, "--format", "json"]) == 1
        (document,) = documents(capsys)
        assert document["reference"] == "plain"
        found = document["blocks"][0]["reference"]["values"]
        numerical = document["blocks"][0]["numerical"]["values"]
        assert np.allclose(found, numerical, atol=1e-7)


def test_given_incoming_gradients(tmp_path: Path, capsys: Captured) -> None:
    path = written(tmp_path, "Half")
    path.write_text(path.read_text() + "G = torch.ones(2, 3, dtype=torch.float64)\n")
    for name in ("G", f"{path}:G"):
        words = ["check", f"{path}:Half", "--order", "2", "--format", "json"]
        words += ["--grad-outputs", name]
        assert main(words) == 0
        (document,) = documents(capsys)
        assert document["settings"]["grad_outputs"].endswith(name)
        assert "The incoming gradients are the given ones" in document["problems"][0]["message"]
        assert [each["input"]["name"] for each in document["blocks"]] == ["x"]  # G is a constant.
    assert main([*words[:-1], "X5"]) == 2
    assert "The incoming gradients 'X5' were not found" in capsys.readouterr().err


def test_every_setting_reaches_the_check(capsys: Captured) -> None:
    words = "--eps 1e-5 --atol 1e-4 --rtol 1e-2 --nondet-tol 1e-9 --cast --forward-mode off"
    more = "--batched --fast --no-battery --variations --nudge 0.01 --no-undefined --masked"
    main(["check", "exp", "--format", "json", *words.split(), *more.split()])
    (document,) = documents(capsys)
    assert document["settings"] == {
        "eps": 1e-5,
        "atol": 1e-4,
        "rtol": 1e-2,
        "nondet_tol": 1e-9,
        "cast": True,
        "auto_cast": False,
        "allow_once": False,
        "forward_mode": "off",
        "batched": True,
        "fast": True,
        "backward_mode": True,
        "undefined": False,
        "batched_forward": False,
        "masked": True,
        "noncontiguous": False,
        "battery": False,
        "variations": True,
        "reference": "",
        "grad_outputs": "",
        "nudge": 0.01,
    }
    words = "--order 2 --forward-mode on --no-backward-mode --batched-forward --noncontiguous"
    main(["check", "exp", "--format", "json", *words.split()])
    (document,) = documents(capsys)
    chosen = ("forward_mode", "backward_mode", "batched_forward", "noncontiguous")
    assert [document["settings"][each] for each in chosen] == ["on", False, True, True]


@pytest.mark.sweep
def test_matrices_and_pictures_are_written(tmp_path: Path, capsys: Captured) -> None:
    files = {name: tmp_path / f"out.{name}" for name in ("npz", "svg", "png")}
    words = [word for name, path in files.items() for word in ("-o", str(path))]
    assert main(["check", "linear-wrong", *words, "--pair", "weight"]) == 1
    with np.load(files["npz"], allow_pickle=False) as file:
        assert file["output.weight.numerical"].shape == (6, 6)
    svg = files["svg"].read_text()
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    assert svg.count('"numerical"') == 1
    assert files["png"].read_bytes()[:4] == b"\x89PNG"
    capsys.readouterr()
    assert main(["check", "linear-wrong", *words, "--pair", "bias"]) == 2
    assert "There is no pair bias; available pairs: output/input" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ([], "The id of a scene or FILE.py:NAME is required"),
        (["nofile.py"], "file nofile.py does not exist"),
        (["exp", "-o", "a.txt"], "a.txt must end in .xml, .npz, .svg or .png"),
        (["exp", "-o", "/no/such/a.svg"], "folder /no/such does not exist"),
        (["exp", "--order", "both", "-o", "a.svg"], "hold one check"),
        (["exp", "linear", "-o", "a.png"], "hold one check"),
        (["exp", "--pair", "x"], "--pair requires -o with a .svg or .png file"),
        (["exp", "--eps", "0"], "eps must be greater than 0"),
        (["exp", "--reference", "no.py:f"], "file no.py does not exist"),
        (["exp", "--forward-mode", "x"], "invalid choice: 'x'"),
    ],
)
def test_wrong_words_are_refused_at_once(words: list[str], part: str, capsys: Captured) -> None:
    assert main(["check", *words]) == 2
    captured = capsys.readouterr()
    assert part in captured.err
    assert captured.out == ""


def test_a_file_without_examples_says_so(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    assert main(["check", f"{path}:Right"]) == 2
    said = capsys.readouterr().err
    assert f"{path} declares no inputs for Right. Add these lines at its end:" in said
    path.write_text(FILE + said.partition("\n\n")[2])
    assert main(["check", str(path)]) == 0
    assert "declares no inputs for Half, Blind and Cut" in capsys.readouterr().err


def test_the_checks_stored_in_a_trace_are_printed(tmp_path: Path, capsys: Captured) -> None:
    path, empty = tmp_path / "run.gradviz", tmp_path / "empty.gradviz"
    request = CheckRequest(offer=offer_of(scene("linear-wrong")), trace=str(path))
    assert run_blocking(request).kind == "finished"
    files = ["-o", str(tmp_path / "a.npz"), "-o", str(tmp_path / "a.svg")]
    assert main(["check", str(path), "--format", "json", *files]) == 1
    (document,) = documents(capsys)
    assert (document["subject"], document["diagnosis"]) == ("scene:linear-wrong", "transposed")
    assert main(["check", str(path)]) == 1
    assert "6 of 36 wrong" in capsys.readouterr().out
    assert run_blocking(replace(request, order=2)).kind == "finished"
    assert main(["check", str(path), "--format", "json"]) in (0, 1)
    assert [each["order"] for each in documents(capsys)] == [1, 2]
    assert main(["check", str(path), *files]) == 2
    assert "contains checks of both orders" in capsys.readouterr().err
    # A trace is one under any name.
    renamed = path.rename(tmp_path / "run.trace")
    assert main(["check", str(renamed), "--format", "json"]) in (0, 1)
    assert len(documents(capsys)) == 2
    assert main(["record", "exp", "-o", str(empty)]) == 0
    assert main(["check", str(empty)]) == 2
    assert "contains no Jacobian checks" in capsys.readouterr().err
    assert main(["check", "no.gradviz"]) == 2
    assert "no.gradviz" in capsys.readouterr().err
