"""The commands as a user runs them, through real child processes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree

import pytest
from PySide6.QtGui import QImage

from gradviz.cli.main import main
from gradviz.drawing.appearance.palette import PaletteTheme, color
from tests.schemas import assert_fits

Captured = pytest.CaptureFixture[str]

SVG = "{http://www.w3.org/2000/svg}"
THEMES: tuple[PaletteTheme, ...] = get_args(PaletteTheme)


def recorded_steps(scene: str, folder: Path, captured: Captured) -> dict[str, Any]:
    path = folder / "run.gradviz"
    assert main(["record", scene, "-o", str(path)]) == 0
    assert [each.name for each in folder.iterdir()] == ["run.gradviz"]
    captured.readouterr()
    assert main(["steps", str(path), "--format", "json"]) == 0
    document = json.loads(captured.readouterr().out)
    assert_fits(document, "steps")
    return dict(document)


def checked(scene: str, captured: Captured, *more: str) -> tuple[int, dict[str, Any]]:
    code = main(["check", scene, "--format", "json", *more])
    document = json.loads(captured.readouterr().out)
    assert_fits(document, "check")
    return code, document


def of_kind(document: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [step for step in document["steps"] if step["kind"] == kind]


def backward_of(document: dict[str, Any], name: str) -> dict[str, Any]:
    (step,) = [step for step in of_kind(document, "node") if step["name"] == name]
    return step


def numbers(items: list[dict[str, Any]]) -> list[Any]:
    return [item.get("values") for item in items]


@pytest.mark.real_workers
def test_linear(tmp_path: Path, capsys: Captured) -> None:
    document = recorded_steps("linear", tmp_path, capsys)
    forward = of_kind(document, "forward")[0]
    assert numbers(forward["outputs"]) == [[[3, 4, 5], [9, 14, 19]]]
    assert forward["console"].count("tensor(") == 1
    backward = backward_of(document, "LinearFunctionBackward")
    assert numbers(backward["incoming"]) == [[[1, 1, 1], [1, 1, 1]]]
    expected = [[[3, 12], [3, 12]], [[2, 2, 2], [4, 4, 4]], None]
    assert numbers(backward["returned"]) == expected
    assert backward["returned"][2]["none"] is True
    # Five prints: the output in forward; grad_output and three gradients in backward.
    prints = [text for text in document["console"]["texts"] if text["text"].strip()]
    assert {text["step"] for text in prints} == {forward["number"], backward["number"]}
    for word in ("grad_output", "grad_input", "grad_weight", "grad_bias"):
        assert word in backward["console"]
    accumulated = {step["variable"]: step["total"] for step in of_kind(document, "accumulate")}
    assert numbers([accumulated["input"], accumulated["weight"]]) == expected[:2]


def test_functional_linear(tmp_path: Path, capsys: Captured) -> None:
    document = recorded_steps("functional-linear", tmp_path, capsys)
    forward = of_kind(document, "forward")[0]
    assert numbers(forward["outputs"]) == [[[6, 13], [15, 49], [24, 85], [33, 121]]]
    backward = backward_of(document, "FunctionalLinearBackward")
    returned, passed = backward["returned"], backward["passed"]
    assert [item["shape"] for item in returned] == [[4, 3], [4, 2, 3], [4, 2]]
    rows = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]
    assert returned[1]["values"] == [[row, row] for row in rows]
    assert numbers(passed) == [[[3, 5, 7]] * 4, [[18, 22, 26]] * 2, [4, 4]]
    assert [item["change"] for item in passed] == ["unchanged", "reduced", "reduced"]


def test_exp_saves_its_output(tmp_path: Path, capsys: Captured) -> None:
    document = recorded_steps("exp", tmp_path, capsys)
    forward = of_kind(document, "forward")[0]
    assert forward["outputs"][0]["values"] == pytest.approx(7.389056098930650)
    assert [(slot["role"], slot["role_index"]) for slot in forward["saved"]] == [("output", 0)]
    total = of_kind(document, "accumulate")[0]["total"]
    assert total["values"] == forward["outputs"][0]["values"]


def test_mul_constant_keeps_a_number(tmp_path: Path, capsys: Captured) -> None:
    document = recorded_steps("mul-constant", tmp_path, capsys)
    call = of_kind(document, "forward")[0]["call"]
    assert call["attributes"] == [{"name": "constant", "object": "3"}]
    backward = backward_of(document, "MulConstantBackward")
    assert numbers(backward["returned"]) == [[[3, 3, 3], [3, 3, 3]], None]


def test_linear_wrong_is_a_mismatch(capsys: Captured) -> None:
    code, document = checked("linear-wrong", capsys)
    assert (code, document["verdict"]) == (1, "mismatch")
    right, wrong = document["blocks"]
    assert right["wrong"] == 0
    assert (wrong["output"]["position"], wrong["input"]["position"]) == (0, 1)
    assert (wrong["input"]["name"], wrong["wrong"], wrong["count"]) == ("weight", 6, 36)
    numerical, analytical = ([[0] * 6 for _ in range(6)] for _ in range(2))
    for k in range(3):
        numerical[k][3 + k], numerical[3 + k][k], numerical[3 + k][3 + k] = 2, 1, 3
        analytical[k][3 + k], analytical[3 + k][k], analytical[3 + k][3 + k] = 1, 2, 3
    assert wrong["analytical"]["values"] == analytical
    for row, expected in zip(wrong["numerical"]["values"], numerical, strict=True):
        assert row == pytest.approx(expected, abs=1e-8)
    worst = wrong["worst"]
    assert (worst["input_index"], worst["output_index"]) == ([1, 0], [0, 0])
    assert worst["analytical"] == 2
    assert worst["numerical"] == pytest.approx(1)


def test_a_mismatch_has_its_own_exit_code() -> None:
    command = f"set -o pipefail; '{sys.executable}' -m gradviz check linear-wrong | true"
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    ended = subprocess.run(
        ["bash", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, env=environment
    )
    assert (ended.returncode, ended.stderr) == (1, b"")


@pytest.mark.sweep
def test_linear_split_matches(capsys: Captured) -> None:
    code, document = checked("linear-split", capsys, "--eps", "1e-6", "--atol", "1e-4")
    assert (code, document["verdict"]) == (0, "match")
    shapes = [block["numerical"]["shape"] for block in document["blocks"]]
    assert shapes == [[400, 600], [600, 600]]
    assert document["settings"]["atol"] == 1e-4


FILE = """
import torch
from torch.autograd import Function

class Cut(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad_output):
        raise ValueError("no gradient today")

EXAMPLES = {"Cut": (torch.ones(2, dtype=torch.float64, requires_grad=True),)}
"""


def test_file_that_raises_leaves_its_trace(tmp_path: Path, capfd: Captured) -> None:
    script = tmp_path / "cut.py"
    script.write_text(FILE)
    path = tmp_path / "run.gradviz"
    assert main(["record", f"{script}:Cut", "-o", str(path)]) == 2
    captured = capfd.readouterr().err
    assert "no gradient today" in captured
    assert "line 12" in captured
    assert main(["steps", str(path)]) == 0
    last = capfd.readouterr().out.splitlines()[-1]
    assert "error" in last
    assert "Cut.backward raised ValueError: no gradient today" in last
    assert main(["record", f"{script}:Cut", "-o", "-"]) == 2
    written, captured = capfd.readouterr()
    assert written.startswith("SQLite format 3")
    assert "The steps recorded until then are in standard output." in captured
    assert main(["check", f"{script}:Cut"]) == 2
    assert main(["record", f"{script}:Other", "-o", str(path)]) == 2
    assert "declares no example for Other; it has examples for Cut" in capfd.readouterr().err


def test_an_invalid_example_is_refused_with_the_reason(tmp_path: Path, capsys: Captured) -> None:
    script = tmp_path / "cut.py"
    script.write_text(FILE + "EXAMPLES['Missing'] = (1,)\n")
    assert main(["record", f"{script}:Missing", "-o", str(tmp_path / "run.gradviz")]) == 2
    assert "EXAMPLES contains 'Missing', which cut.py does not define." in capsys.readouterr().err


def test_record_replaces_a_trace(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "run.gradviz"
    assert main(["record", "linear", "-o", str(path)]) == 0
    for _ in range(2):
        document = recorded_steps("exp", tmp_path, capsys)
        assert document["origin"]["subject"] == "scene:exp"
    before = path.read_bytes()
    assert main(["record", "exp", "--device", "no", "-o", str(path)]) == 2
    assert "Device 'no' does not exist" in capsys.readouterr().err
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["run.gradviz"]


LOOP = """
import torch
def train(weight):
    for _ in range(52):
        weight.square().sum().backward()
EXAMPLES = {train: (torch.ones(2, requires_grad=True),)}
"""


def test_a_long_run_of_an_entry_is_sampled(tmp_path: Path, capsys: Captured) -> None:
    script = tmp_path / "loop.py"
    script.write_text(LOOP)
    assert main(["record", f"{script}:train", "-o", str(tmp_path / "run.gradviz")]) == 0
    # Late passes depend on the time.
    assert "Backward passes 1 to 20" in capsys.readouterr().err


def test_a_trace_is_named_after_what_is_recorded(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("exp.gradviz", "exp-2.gradviz"):
        assert main(["record", "exp"]) == 0
        assert capsys.readouterr().out.startswith(f"{name}: ")
        assert main(["steps", name]) == 0
        assert "x.grad is set" in capsys.readouterr().out
    assert main(["record", "exp", "--device", "no"]) == 2
    assert sorted(each.name for each in tmp_path.iterdir()) == ["exp-2.gradviz", "exp.gradviz"]


@pytest.mark.sweep
def test_figures_of_a_trace_from_standard_input(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["record", "linear", "-o", "-"]) == 0
    trace = capfdbinary.readouterr().out

    def export(*words: str) -> bytes:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(trace)))
        assert main(["export", "-", "-o", *words]) == 0
        return capfdbinary.readouterr().out

    light, dark = [ElementTree.fromstring(export("-", "--theme", each)) for each in THEMES]
    assert [color("canvas", each) for each in THEMES] == [
        next(root.iter(f"{SVG}rect")).get("fill") for root in (light, dark)
    ]
    assert "grad_weight 2×3" in [each.get("aria-label") for each in dark.iter(f"{SVG}path")]
    for name, start, words in (
        ("a.svg", b"<?xml", ("--step", "5", "--text", "font")),
        ("a.dot", b"digraph", ()),
        ("a.pdf", b"%PDF", ("--step", "5")),
        ("a.html", b"<!DOCTYPE html>", ("--step", "5")),
        ("a.tex", b"% LinearFunction", ("--step", "5")),
    ):
        export(str(tmp_path / name), *words)
        assert (tmp_path / name).read_bytes().startswith(start)
    assert b"@font-face" in (tmp_path / "a.svg").read_bytes()
    assert b'"start":"5"' in (tmp_path / "a.html").read_bytes()
    export(str(tmp_path / "a.png"), "--size", "500x400", "--transparent")
    picture = QImage(str(tmp_path / "a.png"))
    assert (picture.width(), picture.height()) == (500, 400)
    assert picture.pixelColor(0, 0).alpha() == 0


def test_the_handout_of_a_lesson_records_and_checks_its_scenes(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages: list[str] = []
    monkeypatch.setattr("gradviz.host.svg_rendering.write_pdf", lambda svgs, *_: pages.extend(svgs))
    lesson = tmp_path / "a.gradviz-lesson"
    lesson.write_text(
        'title = "A"\n[[stop]]\nscene = "exp"\nstep = "3/backward/line2"\n'
        'show = ["sum grad_x", "code"]\n'
        'question = "What?"\n[[stop]]\nscene = "linear-wrong"\nstep = "5"\ntab = "jacobians"\n'
        'question = "Is it right?"\n'
    )
    assert main(["export", str(lesson), "-o", str(tmp_path / "a.pdf")]) == 0
    assert f"a.pdf: {len(pages)} pages" in capsys.readouterr().out
    exp, jacobians, *answers = (
        " ".join(each.text or "" for each in ElementTree.fromstring(page).iter(f"{SVG}text"))
        for page in pages
    )
    assert "What?" in exp
    assert "7.389 = 7.389" not in " ".join(exp.split())
    assert "Is it right?" in jacobians
    told = " ".join(" ".join(answers).split())
    for answer in ("grad_x = 1 · 7.389 = 7.389", "grad_output * output", "analytical", "transpose"):
        assert answer in told
        assert answer not in jacobians


def test_the_slides_of_a_shipped_lesson_have_its_shipped_runs(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*_arguments: object, **_options: object) -> None:
        pytest.fail("was recorded")

    pages: list[str] = []
    monkeypatch.setattr("gradviz.host.pool.run_blocking", run)
    monkeypatch.setattr("gradviz.host.svg_rendering.write_pdf", lambda svgs, *_: pages.extend(svgs))
    command = ["export", "first-function", "--slides", "-o", str(tmp_path / "a.pdf")]
    assert main(command) == 0
    assert f"a.pdf: {len(pages)} pages" in capsys.readouterr().out
    assert len(pages) > 20
    assert main([*command, "--time-limit", "9"]) == 2
    assert "--time-limit" in capsys.readouterr().err


def test_steps_and_jacobians_of_a_scene_without_a_file(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    assert main(["steps", "exp", "--level", "line"]) == 0
    assert b"`output = x.exp()`" in capfdbinary.readouterr().out
    assert main(["export", "linear-wrong", "-o", "-", "--tab", "jacobians"]) == 0
    root = ElementTree.fromstring(capfdbinary.readouterr().out)
    assert "numerical" in [each.get("aria-label") for each in root.iter(f"{SVG}path")]
