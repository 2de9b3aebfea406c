"""Second-order checks, and checks of every scene, from command line to document."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gradviz.cli.main import main
from gradviz.gallery.registry import SCENES
from tests.schemas import assert_fits

Captured = pytest.CaptureFixture[str]
NOTHING_TO_CHECK = [each.id for each in SCENES if not each.can_be_checked]


def documents(scene: str, captured: Captured, *more: str) -> tuple[int, list[dict[str, Any]]]:
    code = main(["check", scene, "--format", "json", *more])
    found = json.loads(captured.readouterr().out)
    listed = found if isinstance(found, list) else [found]
    for each in listed:
        assert_fits(each, "check")
    return code, listed


def test_both_orders_of_an_intermediate_that_was_saved(capsys: Captured) -> None:
    code, (first, second) = documents("cube-wrong", capsys, "--order", "both")
    assert code == 1
    assert (first["order"], first["verdict"], first["title"]) == (1, "match", "MyCube")
    assert first["diagnosis"] == "wrong_pass_gradient"
    assert [(each["received"], each["wrong"]) for each in first["passes"]] == [([32], 0), ([24], 1)]
    assert first["passes"][1]["numerical"] == [pytest.approx(48)]
    assert (second["order"], second["verdict"]) == (2, "mismatch")
    wrong, right = second["blocks"]
    assert (wrong["output"]["name"], wrong["input"]["name"]) == ("grad_x", "x")
    assert wrong["analytical"]["values"] == [[0]]
    assert (right["input"]["name"], right["wrong"]) == ("grad_output", 0)
    (captured,) = second["diagnoses"]
    assert (captured["code"], captured["output"], captured["input"]) == (
        "double_backward_cut",
        0,
        0,
    )


def test_a_transpose_is_diagnosed(capsys: Captured) -> None:
    code, (document,) = documents("linear-wrong", capsys)
    assert (code, document["order"]) == (1, 1)
    assert [each["code"] for each in document["diagnoses"]] == ["transposed"]


def test_what_gradgradcheck_leaves_out_is_reported(capsys: Captured) -> None:
    code, (document,) = documents("functional-linear-double", capsys, "--order", "2")
    assert (code, document["verdict"], document["title"]) == (1, "match", "FunctionalLinear")
    assert (document["passed"], document["diagnosis"]) == (False, "double_backward_cut")
    (captured,) = document["problems"]
    assert (captured["code"], captured["decides"]) == ("gradient_without_history", False)


def test_text_of_second_order(capsys: Captured) -> None:
    assert main(["check", "cube-once", "--order", "2"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "MyCube: its backward cannot be differentiated"
    marked = "problem: The backward of MyCube is marked once_differentiable"
    assert any(line.startswith(marked) for line in lines)
    assert main(["check", "cube", "--order", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("Jacobians of its backward match")
    assert lines[-1].startswith("The second-order check compares backward with itself")


def test_squeezed_for_one_feature_is_named(capsys: Captured) -> None:
    assert documents("linear-squeeze", capsys)[1][0]["verdict"] == "match"
    code, (document,) = documents("linear-squeeze-one", capsys)
    assert (code, document["verdict"]) == (2, "error")
    problem = document["problems"][0]
    assert problem["code"] == "raised"
    assert "returned an invalid gradient at index 2 - got []" in problem["message"]


@pytest.mark.parametrize("scene", NOTHING_TO_CHECK[::4])
def test_nothing_to_check_is_one_sentence(scene: str, capsys: Captured) -> None:
    assert main(["check", scene]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == f"gradviz: The scene {scene} has no Jacobians to check.\n"
