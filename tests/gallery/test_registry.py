"""The registry lists all scenes and can be read without torch."""

from __future__ import annotations

import importlib
import inspect
import sys

import pytest

from gradviz.gallery.registry import SCENES, Scene, UnknownSceneError, offer_of, scene
from gradviz.model.inputs import DIFFERENTIABLE_DTYPES, DTYPES
from tests.programs import run_program


def test_the_scenes_are_those_that_were_announced() -> None:
    assert {each.id for each in SCENES} >= {
        "linear",
        "linear-wrong",
        "exp",
        "linear-split",
        "mul-constant",
        "functional-linear",
    }


def test_ids_and_titles_are_unique() -> None:
    assert len({each.id for each in SCENES}) == len(SCENES)
    assert len({each.title for each in SCENES}) == len(SCENES)


def test_a_scene_is_found_by_its_id() -> None:
    assert scene("linear-wrong").callable_name == "LinearFunction"


def test_an_unknown_id_is_one_sentence_that_lists_the_known_ones() -> None:
    with pytest.raises(
        UnknownSceneError, match=r"no scene 'x'\. Available scenes: linear, .*exp.*\.$"
    ):
        scene("x")


def test_an_offer_carries_what_the_scene_says() -> None:
    offer = offer_of(scene("exp"))
    assert offer.subject.text == "scene:exp"
    assert (offer.title, offer.device, offer.seed) == ("Exp", "cpu", 0)
    assert offer.inputs == scene("exp").inputs
    assert offer.start.gradient == "ones"


def test_reading_the_catalogue_imports_neither_torch_nor_numpy() -> None:
    program = (
        "import sys, gradviz.gallery.registry as c; assert c.SCENES;"
        "sys.exit(','.join({'torch', 'numpy', 'PySide6'} & set(sys.modules)) or 0)"
    )
    ended = run_program([sys.executable, "-c", program])
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("each", SCENES, ids=lambda each: each.id)
def test_inputs_fit_the_arguments_of_forward(each: Scene) -> None:
    function = getattr(importlib.import_module(each.module), each.callable_name)
    called = getattr(function, "forward", function)
    parameters = [name for name in inspect.signature(called).parameters if name != "ctx"]
    assert [spec.name for spec in each.inputs] == parameters


@pytest.mark.parametrize("each", SCENES, ids=lambda each: each.id)
def test_a_scene_is_compared_with_another_one(each: Scene) -> None:
    assert each.id not in each.compare_with
    assert len(set(each.compare_with)) == len(each.compare_with)
    for other in each.compare_with:
        assert scene(other).title


@pytest.mark.parametrize(
    "each", [each for each in SCENES if each.can_be_checked], ids=lambda each: each.id
)
def test_what_is_checked_takes_the_first_inputs(each: Scene) -> None:
    module = importlib.import_module(each.module)
    function = getattr(module, each.checked or each.callable_name)
    called = getattr(function, "forward", function)
    parameters = [name for name in inspect.signature(called).parameters if name != "ctx"]
    names = [spec.name for spec in each.inputs]
    assert len(parameters) == len(names)
    assert any(spec.requires_grad for spec in each.inputs)


@pytest.mark.parametrize("each", SCENES, ids=lambda each: each.id)
def test_inputs_are_possible(each: Scene) -> None:
    for spec in each.inputs:
        assert spec.dtype in DTYPES
        assert spec.dtype in DIFFERENTIABLE_DTYPES or not spec.requires_grad
        assert (spec.kind == "object") == bool(spec.text)


@pytest.mark.parametrize("each", SCENES, ids=lambda each: each.id)
def test_a_summary_is_one_sentence_or_two(each: Scene) -> None:
    assert 1 <= each.summary.count(".") <= 2
    assert each.summary.endswith(".")
    assert len(each.summary) <= 200
