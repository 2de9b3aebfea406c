"""Findings of a run: each violated rule at its step and line, and no others."""

from __future__ import annotations

import inspect
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from gradviz.gallery.registry import Scene, scene
from gradviz.model.source import CALL_FILE
from gradviz.model.step import AccumulateStep, ErrorStep, ForwardStep, NodeStep
from tests.recorder import rule_violations as typed_faults
from tests.recorder.found_findings import found_in, leaf, line_of, one
from tests.recorder.recorded_run import record_run
from tests.recorder.scene_runs import run_scene
from tests.sweeps import scene_of_each_kind

faults: Any = typed_faults  # Its Functions are called by `apply`, which has no types.

OF_SCENES: dict[str, dict[str, int]] = {
    "functional-linear": {"silent_reduction": 2},
    "functional-linear-double": {"silent_reduction": 2, "missing_once_differentiable": 1},
    "functional-linear-double-once": {"silent_reduction": 2},
    "functional-linear-double-sum": {"silent_reduction": 2},
    "my-own-layer": {"silent_reduction": 2, "wasted_gradient": 1},
    "linear-squeeze-one": {"invalid_gradient": 1},
    "mul-constant-undefined": {"missing_gradient": 1, "undefined_gradient_none": 1},
    "mul-constant-undefined-default": {"missing_gradient": 1, "undefined_gradient": 1},
    "mul-constant-undefined-unused": {"undefined_gradient_none": 1},
    "cube": {"undefined_gradient": 2},
    "cube-times": {"undefined_gradient": 1},
    "cube-wrong": {"saved_intermediate": 1},
    "cube-wrong-alone": {"saved_intermediate": 1},
    "hook-instead": {"gradient_hooked": 1},
    "nn-linear": {"unregistered_parameter": 1},
    "mark-dirty-unmarked": {"in_place_unmarked": 1},
    "non-differentiable": {"undefined_gradient_marked": 1},
    "saved-changed": {"saved_modified": 1},
    "carried-state": {"freed_graph": 1},
    "step-too-early": {"saved_modified": 1},
    "layers-in-list": {"layer_not_registered": 1},
    "nan-masked": {"nan_gradient": 1},
    "numpy": {"numpy_unseen": 1},
}
"""Of all other scenes nothing is found; what is cut in the second order is told elsewhere.

The exception of history-cut is explained where it ends the run; here it is caught.
"""


@pytest.mark.parametrize("each", scene_of_each_kind())
def test_what_is_found_in_a_scene(each: Scene, tmp_path: Path) -> None:
    recording = record_run(tmp_path, lambda: run_scene(each), level="ops")
    counts = Counter(finding.code for finding in found_in(recording))
    assert counts == OF_SCENES.get(each.id, {})
    assert all(finding.step is not None for finding in recording.trace.findings)


@pytest.mark.parametrize("level", ["nodes", "ops"])
def test_a_change_in_place_that_was_not_declared(level: str, tmp_path: Path) -> None:
    x = leaf(3)

    def run() -> None:
        copy = x.clone()
        faults.Unmarked.apply(copy)
        copy.sum().backward()

    recording, finding = one(tmp_path, run, level=level)
    # Of the doubled values the derivative is 2.
    assert x.grad is not None
    assert x.grad.tolist() == [1, 1, 1]
    step = recording.named(ForwardStep, "Unmarked")
    assert (finding.code, finding.severity) == ("in_place_unmarked", "error")
    assert (finding.step, finding.node) == (step.number, step.node)
    assert "CloneBackward0" in finding.message
    assert "ctx.mark_dirty(x)" in finding.message
    assert finding.location is not None
    assert finding.location.line == line_of(faults.Unmarked, "x.mul_(2)")


def test_a_change_by_numpy_is_seen_though_no_version_counts_it(tmp_path: Path) -> None:
    def run() -> None:
        faults.ByNumpy.apply(leaf(3).clone())

    _, finding = one(tmp_path, run)
    assert finding.code == "in_place_unmarked"
    assert finding.location is not None
    assert finding.location.line == line_of(faults.ByNumpy, "numpy()")


@pytest.mark.parametrize("level", ["nodes", "ops"])
def test_a_write_by_another_name_is_found_at_its_line(level: str, tmp_path: Path) -> None:
    _, finding = one(tmp_path, lambda: faults.ByArray.apply(leaf(3).clone()), level=level)
    assert finding.code == "in_place_unmarked"
    assert finding.location is not None
    assert finding.location.line == line_of(faults.ByArray, "array[0] = 5")


def test_a_change_in_place_that_was_declared(tmp_path: Path) -> None:
    recording = record_run(tmp_path, lambda: faults.Marked.apply(leaf(3).clone()).sum().backward())
    assert found_in(recording) == []


def test_an_intermediate_that_was_saved(tmp_path: Path) -> None:
    _, finding = one(tmp_path, lambda: faults.SavesSquare.apply(leaf(2)))
    assert (finding.code, finding.severity) == ("saved_intermediate", "warning")
    assert " saves square, " in finding.message
    assert finding.location is not None
    assert finding.location.line == line_of(faults.SavesSquare, "save_for_backward")


class SavesList(Function):
    shared: Any = type("Shared", (), {})()

    @staticmethod
    def forward(ctx: Any, x: Any, scale: float) -> Any:
        SavesList.shared.kept = x
        ctx.kept = x
        values = [x, x * x]
        ctx.save_for_backward(*values)
        return x * scale

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * len(ctx.saved_tensors) * ctx.kept, None


class SavesNumber(Function):
    @staticmethod
    def forward(ctx: Any, x: Any, scale: float) -> Any:
        ctx.save_for_backward(torch.DoubleTensor([scale]))
        return x * scale

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (scale,) = ctx.saved_tensors
        return g * scale, None


def test_what_is_kept_elsewhere_under_the_name_is_not_confused(tmp_path: Path) -> None:
    recording = record_run(tmp_path, lambda: SavesList.apply(leaf(2), 2.0))
    kept, saved = recording.trace.findings
    assert (kept.code, saved.code) == ("tensor_on_ctx", "saved_intermediate")
    assert kept.location is not None
    assert kept.location.line == line_of(SavesList, "ctx.kept = x")
    assert " saves values[1], which is neither " in saved.message


def test_a_saved_number_is_a_constant(tmp_path: Path) -> None:
    recording = record_run(tmp_path, lambda: SavesNumber.apply(leaf(2), 2.0).sum().backward())
    assert found_in(recording) == []


@pytest.mark.parametrize(
    "name", ["SavesSquareOnce", "SavesPositions", "SavesOutput", "KeepsNumber", "SumsItself"]
)
def test_what_breaks_no_rule(name: str, tmp_path: Path) -> None:
    function = getattr(faults, name)
    recording = record_run(tmp_path, lambda: function.apply(leaf(2)).sum().backward(), level="ops")
    assert found_in(recording) == []


def test_what_numpy_made_of_an_input_is_no_constant(tmp_path: Path) -> None:
    _, finding = one(tmp_path, lambda: faults.SavesOutside.apply(leaf(2)))
    assert finding.code == "saved_intermediate"


@pytest.mark.parametrize(
    ("name", "code", "text"),
    [
        ("ReturnsView", "returned_input", "returns a view of its input x."),
        ("PassesNoneOn", "surplus_none", "returns 2 gradients for one input:"),
    ],
)
def test_what_only_the_run_shows(name: str, code: str, text: str, tmp_path: Path) -> None:
    function = getattr(faults, name)
    _, finding = one(tmp_path, lambda: function.apply(leaf(2)).sum().backward())
    assert finding.code == code
    assert text in finding.message
    assert finding.location is not None
    assert finding.location.line == line_of(function, "return")


def test_a_view_that_was_saved_loses_what_it_depends_on(tmp_path: Path) -> None:
    x = leaf(2)

    def run() -> None:
        (first,) = torch.autograd.grad(faults.SavesView.apply(x).sum(), x, create_graph=True)
        # x**2 has the second derivative 2, and torch finds a gradient that depends on nothing.
        (second,) = torch.autograd.grad(first.sum(), x, allow_unused=True)
        assert second is None

    _, finding = one(tmp_path, run)
    assert finding.code == "saved_intermediate"
    assert "a view of the input x" in finding.message


def test_a_tensor_on_ctx(tmp_path: Path) -> None:
    _, finding = one(tmp_path, lambda: faults.KeepsTensors.apply(leaf(2)).sum().backward())
    assert finding.code == "tensor_on_ctx"
    assert "ctx.parts" in finding.message
    assert finding.location is not None
    assert finding.location.line == line_of(faults.KeepsTensors, "ctx.parts =")


def test_a_grad_output_that_was_changed(tmp_path: Path) -> None:
    recording, finding = one(
        tmp_path, lambda: faults.ChangesGradient.apply(leaf(2)).sum().backward()
    )
    step = recording.named(NodeStep, "ChangesGradientBackward")
    assert (finding.code, finding.step) == ("grad_output_modified", step.number)
    assert " grad_output in place" in finding.message
    assert finding.location is not None
    assert finding.location.line == line_of(faults.ChangesGradient, "mul_(2)")


def test_a_grad_output_that_a_helper_changed(tmp_path: Path) -> None:
    def run() -> None:
        (faults.ChangesGradientInHelper.apply(leaf(2)) * torch.ones(2)).sum().backward()

    _, finding = one(tmp_path, run)
    assert finding.code == "grad_output_modified"
    assert finding.location is not None
    assert finding.location.line == line_of(faults.ChangesGradientInHelper, "double_in_place(")


@pytest.mark.parametrize("count", [2, 5000])
def test_a_new_version_without_new_elements_is_no_change(count: int, tmp_path: Path) -> None:
    def run() -> None:
        (faults.AddsDimension.apply(leaf(count)) * torch.ones(count)).sum().backward()

    assert found_in(record_run(tmp_path, run)) == []


def test_a_large_grad_output_that_was_changed(tmp_path: Path) -> None:
    def run() -> None:
        (faults.Scales.apply(leaf(5000)) * torch.ones(5000)).sum().backward()

    _, finding = one(tmp_path, run)
    assert finding.code == "grad_output_modified"


def test_a_missing_gradient(tmp_path: Path) -> None:
    recording, finding = one(tmp_path, lambda: faults.Stop.apply(leaf(2)).sum().backward())
    assert finding.code == "missing_gradient"
    assert finding.step == recording.named(NodeStep, "StopBackward").number


def test_a_gradient_without_a_target(tmp_path: Path) -> None:
    _, finding = one(
        tmp_path, lambda: faults.Product.apply(leaf(2), torch.ones(2)).sum().backward()
    )
    assert (finding.code, finding.severity) == ("wasted_gradient", "info")
    assert "ctx.needs_input_grad[1]" in finding.message


@pytest.mark.parametrize(
    ("name", "is_wasted"),
    [
        ("Adjoint", False),
        ("AdjointPart", False),
        ("PassedOn", False),
        ("Total", True),
        ("OwnExpression", True),
    ],
)
def test_a_gradient_that_others_are_computed_from_is_not_wasted(
    name: str, is_wasted: bool, tmp_path: Path
) -> None:
    state, inputs = torch.ones(2), leaf(3, 2)
    function = getattr(faults, name)
    recording = record_run(tmp_path, lambda: function.apply(state, inputs).sum().backward())
    assert [each.code for each in found_in(recording)] == is_wasted * ["wasted_gradient"]


def test_a_cast(tmp_path: Path) -> None:
    x = torch.ones(2, requires_grad=True)
    _, finding = one(tmp_path, lambda: faults.Doubles.apply(x).sum().backward())
    assert finding.code == "silent_cast"
    assert "float64" in finding.message
    assert "float32" in finding.message
    assert x.grad is not None
    assert x.grad.dtype == torch.float32


@pytest.mark.parametrize(
    ("one_size", "more_size", "severity"),
    [((3,), (2, 3), "info"), ((1, 3), (2, 3), "info"), ((), (2,), "info"), ((3,), (3,), "warning")],
)
def test_a_sum_over_what_was_broadcast_is_no_warning(
    one_size: tuple[int, ...], more_size: tuple[int, ...], severity: str, tmp_path: Path
) -> None:
    inputs = torch.ones(one_size, requires_grad=True), torch.ones(more_size)
    _, finding = one(tmp_path, lambda: faults.SumsRows.apply(*inputs).sum().backward())
    assert (finding.code, finding.severity) == ("silent_reduction", severity)


def test_a_gradient_for_each_row_of_a_batch_is_no_warning(tmp_path: Path) -> None:
    recording = record_run(tmp_path, lambda: run_scene(scene("functional-linear")))
    found = found_in(recording)
    assert [(each.code, each.severity) for each in found] == [("silent_reduction", "info")] * 2


def test_a_sum_and_a_cast_are_two(tmp_path: Path) -> None:
    x = torch.ones(2, requires_grad=True)
    recording = record_run(tmp_path, lambda: faults.DoublesTwice.apply(x).sum().backward())
    assert {each.code for each in found_in(recording)} == {"silent_reduction", "silent_cast"}


def test_tensors_in_a_list(tmp_path: Path) -> None:
    _, finding = one(tmp_path, lambda: faults.OfList.apply(leaf(2), [leaf(2)]).sum().backward())
    assert finding.code == "nested_tensor"
    assert "inside others" in finding.message
    assert finding.location is not None
    assert finding.location.path == __file__


def test_tensors_in_a_list_of_a_call_without_a_source_of_the_user(tmp_path: Path) -> None:
    values = {"function": faults.OfList.apply, "x": leaf(2), "others": [leaf(2)]}
    code = compile("output = function(x, others)", CALL_FILE, "exec")
    _, finding = one(tmp_path, lambda: exec(code, values))
    assert finding.location is not None
    assert finding.location.line == line_of(faults.OfList, "def forward")
    assert "OfList.forward" in finding.message


def test_tensors_in_a_list_that_need_nothing(tmp_path: Path) -> None:
    recording = record_run(
        tmp_path, lambda: faults.OfList.apply(leaf(2), [torch.ones(2)]).sum().backward()
    )
    assert found_in(recording) == []


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("TooFew", "wrong_gradient_count", "one gradient for 2 inputs (a and b)"),
        ("WrongShape", "invalid_gradient", "of shape [5] for a, which has shape [2]"),
        ("ANumber", "invalid_gradient", "returns 3.0 for b"),
        ("TooFewAtTheEnd", "wrong_gradient_count", "one gradient for 2 inputs (a and b)"),
    ],
)
def test_what_torch_refuses(name: str, code: str, words: str, tmp_path: Path) -> None:
    function = getattr(faults, name)

    def run() -> None:
        function.apply(leaf(2), leaf(2)).sum().backward()

    recording, finding = one(tmp_path, run, raises=True)
    assert (finding.code, finding.severity) == (code, "error")
    assert words in finding.message
    last = recording.trace.steps[-1]
    assert isinstance(last, ErrorStep)
    assert finding.step == last.number
    assert finding.location == last.location
    assert last.location is not None
    lines, first = inspect.getsourcelines(function.backward)
    assert last.location.line == first + len(lines) - 1


def test_a_refusal_that_the_user_caught_stays_at_its_node(tmp_path: Path) -> None:
    def run() -> None:
        with pytest.raises(RuntimeError, match="incorrect number"):
            faults.TooFew.apply(leaf(2), leaf(2)).sum().backward()
        (leaf(2) * 2).sum().backward()

    recording, finding = one(tmp_path, run)
    assert finding.step == recording.named(NodeStep, "TooFewBackward").number


@pytest.mark.parametrize("level", ["nodes", "ops", "lines", "all"])
def test_a_saved_tensor_that_was_changed(level: str, tmp_path: Path) -> None:
    def run() -> None:
        h = leaf(2) * 1
        y = faults.Square.apply(h)
        h.add_(1)
        y.sum().backward()

    recording = record_run(tmp_path, run, raises=True, level=level)
    (end,) = found_in(recording)
    assert end.code == "saved_modified"
    assert end.step == recording.steps(ErrorStep)[0].number
    line = line_of(test_a_saved_tensor_that_was_changed, "h.add_(1)")
    assert end.location is not None
    assert end.location.line == line
    assert end.message.startswith(f"`h.add_(1)`, line {line}, overwrote h, which Square (line")


def test_a_parameter_that_no_module_knows(tmp_path: Path) -> None:
    class Knows(nn.Module):
        def __init__(self, *, registered: bool) -> None:
            super().__init__()
            scale = nn.Parameter(torch.ones(2))
            self.scales = nn.ParameterList([scale]) if registered else [scale]

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * self.scales[0]

    recording, finding = one(tmp_path, lambda: Knows(registered=False)(leaf(2)).sum().backward())
    assert finding.code == "unregistered_parameter"
    (step,) = [each for each in recording.steps(AccumulateStep) if each.number == finding.step]
    assert step.node == finding.node
    (tmp_path / "other").mkdir()
    known = record_run(tmp_path / "other", lambda: Knows(registered=True)(leaf(2)).sum().backward())
    assert found_in(known) == []


def test_a_parameter_outside_of_modules_is_no_fault(tmp_path: Path) -> None:
    scale = nn.Parameter(torch.ones(2))
    recording = record_run(
        tmp_path, lambda: (nn.Linear(2, 2)(leaf(2).float()) * scale).sum().backward()
    )
    assert found_in(recording) == []


def test_a_loop_says_it_once(tmp_path: Path) -> None:
    def run() -> None:
        for _ in range(5):
            faults.Stop.apply(leaf(2)).sum().backward()

    _, finding = one(tmp_path, run)
    assert finding.code == "missing_gradient"


def test_numpy_is_seen_only_where_it_brings_something_back(tmp_path: Path) -> None:
    class Prints(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            np.linalg.norm(x.detach().numpy())
            return x * 2

        @staticmethod
        @once_differentiable
        def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
            return gradient * 2

    prints: Any = Prints
    recording = record_run(tmp_path, lambda: prints.apply(leaf(2)).sum().backward(), level="ops")
    assert found_in(recording) == []
