"""A check's report: positions, names, problems, progress, cancelling, restored inputs."""

from __future__ import annotations

import contextlib
import re
import tracemalloc
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from msgspec.structs import replace
from torch import Tensor

from gradviz.checks.run.jacobian_check import check
from gradviz.checks.run.progress import DiscardingSink
from gradviz.gallery.scenes.linear_wrong import LinearFunction
from gradviz.model.check_settings import CheckSettings
from gradviz.model.jacobian_report import JacobianBlock
from tests.checks import sample_functions
from tests.checks.sample_functions import Kept, block_of, checked, codes, randn


def arange(*shape: int) -> Tensor:
    count = torch.Size(shape).numel()
    return torch.arange(count, dtype=torch.float64).view(shape).requires_grad_()


def wrong_linear(**options: Any) -> tuple[Any, Kept]:
    return checked(LinearFunction, (arange(2, 2), arange(2, 3), None), **options)


def test_the_wrong_linear_layer_is_reported_as_the_lecture_has_it() -> None:
    report, sink = wrong_linear(title="LinearFunction, wrong on purpose")
    assert report.verdict == "mismatch"
    assert report.problems == ()
    assert [(block.input, block.input_name, block.wrong) for block in report.blocks] == [
        (0, "input", 0),
        (1, "weight", 6),
    ]
    block = block_of(report, 0, 1)
    assert (block.output_name, block.output_shape, block.input_shape) == ("output", (2, 3), (2, 3))
    assert block.count == 36
    numerical = torch.tensor(
        [
            [0, 0, 0, 2, 0, 0],
            [0, 0, 0, 0, 2, 0],
            [0, 0, 0, 0, 0, 2],
            [1, 0, 0, 3, 0, 0],
            [0, 1, 0, 0, 3, 0],
            [0, 0, 1, 0, 0, 3],
        ],
        dtype=torch.float64,
    )
    analytical = torch.tensor(
        [
            [0, 0, 0, 1, 0, 0],
            [0, 0, 0, 0, 1, 0],
            [0, 0, 0, 0, 0, 1],
            [2, 0, 0, 3, 0, 0],
            [0, 2, 0, 0, 3, 0],
            [0, 0, 2, 0, 0, 3],
        ],
        dtype=torch.float64,
    )
    torch.testing.assert_close(sink.tensor(block.numerical), numerical, atol=1e-8, rtol=0)
    assert torch.equal(sink.tensor(block.analytical), analytical)


def test_the_worst_element_is_named_by_indices() -> None:
    worst = block_of(wrong_linear()[0], 0, 1).worst
    assert (worst.row, worst.column) == (3, 0)
    assert (worst.input_index, worst.output_index) == ((1, 0), (0, 0))
    assert worst.analytical == 2
    assert worst.numerical == pytest.approx(1)
    assert worst.excess == pytest.approx(1 / (1e-5 + 1e-3), rel=1e-6)


def test_a_report_says_how_it_was_made() -> None:
    settings = CheckSettings(eps=1e-5, atol=1e-4, rtol=1e-2, nondet_tol=1e-9)
    report, _ = wrong_linear(title="wrong", report_id=7, settings=settings)
    assert (report.id, report.subject) == (7, "wrong")
    assert (report.dtype, report.device) == ("float64", "cpu")
    assert (report.eps, report.atol, report.rtol, report.nondet_tol) == (1e-5, 1e-4, 1e-2, 1e-9)
    assert report.duration_ns > 0


def test_positions_count_all_arguments_not_only_differentiable_ones() -> None:
    report, _ = checked(sample_functions.Multiply, (randn(2).detach(), randn(2), None))
    assert [(block.input, block.input_name) for block in report.blocks] == [(1, "right")]


def test_names_may_be_given() -> None:
    report, _ = checked(torch.mul, (randn(2), randn(2)), names=("price", "amount"))
    assert [block.input_name for block in report.blocks] == ["price", "amount"]


def test_parts_of_a_complex_output_are_distinguished() -> None:
    report, sink = checked(lambda x: torch.complex(x, 3 * x), (randn(2),))
    assert [block.part for block in report.blocks] == ["real", "imag"]
    real, imag = (sink.tensor(block.analytical) for block in report.blocks)
    assert torch.equal(imag, 3 * real)


class Nested(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Any:
        return x * 2, {"sine": [x.sin()]}

    @staticmethod
    def backward(ctx: Any, grad: Tensor, _: None) -> Tensor:
        return grad * 2


PROBLEMS: dict[str, tuple[Any, Any, str, str, str]] = {
    "forward raises": (
        sample_functions.Raises,
        lambda: (randn(3), "forward"),
        "error",
        "raised",
        r"The function raised KeyError in sample_functions.py, line \d+ \(forward\): "
        r"'forward is broken'",
    ),
    "forward raises later": (
        sample_functions.Raises,
        lambda: (torch.ones(3, dtype=torch.float64, requires_grad=True), "moved"),
        "error",
        "raised",
        r"With x perturbed slightly, the function raised KeyError in sample_functions.py, line \d+",
    ),
    "backward raises": (
        sample_functions.Raises,
        lambda: (randn(3), "backward"),
        "error",
        "raised",
        r"Backward from output raised ValueError in sample_functions.py, line \d+ \(backward\): "
        r"backward is",
    ),
    "the engine refuses": (
        sample_functions.WrongShape,
        lambda: (randn(3),),
        "error",
        "raised",
        r"Backward from output raised RuntimeError: .*invalid gradient at index 0 - got \[7\]",
    ),
    "noise": (
        sample_functions.Noisy,
        lambda: (randn(3),),
        "mismatch",
        "nondeterministic",
        r"Two identical backward passes from output give gradients of x that differ by up to \S+e",
    ),
    "not multiplied": (
        sample_functions.Unscaled,
        lambda: (randn(3),),
        "mismatch",
        "not_multiplied",
        r"Backward returns a nonzero gradient for x although all incoming gradients are zero",
    ),
    "undefined refused": (
        sample_functions.Unmaterialized,
        lambda: (randn(3), "refuse"),
        "mismatch",
        "undefined_gradient",
        r"With an undefined gradient for every output, backward raised RuntimeError"
        r" in sample_functions",
    ),
    "undefined breaks": (
        sample_functions.Unmaterialized,
        lambda: (randn(3), "break"),
        "error",
        "undefined_gradient",
        r"With an undefined gradient for every output, backward raised TypeError"
        r" in sample_functions",
    ),
    "undefined to ones": (
        sample_functions.Unmaterialized,
        lambda: (randn(3), "ones"),
        "mismatch",
        "undefined_gradient",
        r"With an undefined gradient for every output, backward still returns a nonzero gradient",
    ),
    "constant": (
        lambda x: torch.ones(2, dtype=torch.float64),
        lambda: (randn(3),),
        "match",
        "not_differentiable",
        r"No output requires a gradient",
    ),
    "detached": (
        lambda x: x.detach() * 2,
        lambda: (randn(3),),
        "mismatch",
        "numerical_not_zero",
        r"No output requires a gradient, yet output changes with x\.",
    ),
    "nothing to do": (
        torch.sin,
        lambda: (randn(3).detach(),),
        "error",
        "nothing_requires_grad",
        r"No input requires a gradient",
    ),
    "no tensor": (
        lambda x: x.detach().numpy() * 2,
        lambda: (randn(3),),
        "error",
        "no_tensor_output",
        r"The function returns no tensor \(ndarray\), so there is nothing to compare",
    ),
    "nested tensors": (
        Nested,
        lambda: (randn(3),),
        "error",
        "nested_output",
        r"The tensors in output 1 cannot be compared because it is a dict",
    ),
    "overlapping": (
        sample_functions.Multiply,
        lambda: (randn(1).detach().expand(3).requires_grad_(), randn(3)),
        "error",
        "overlapping_input",
        r"Elements of left share memory \(a dimension has stride 0\)\. Call \.contiguous\(\) on it",
    ),
    "sparse input, and output": (
        lambda x: x * 2,
        lambda: (torch.eye(2, dtype=torch.float64).to_sparse().requires_grad_(),),
        "error",
        "unsupported_layout",
        r"The layout of output is torch.sparse_coo, which gradcheck does not support",
    ),
    "sparse output": (
        lambda x: x.to_sparse(),
        lambda: (randn(2, 2),),
        "error",
        "unsupported_layout",
        r"The layout of output is torch.sparse_coo",
    ),
    "output changes": (
        lambda x: x[x >= 1.0],
        lambda: (torch.ones(3, dtype=torch.float64, requires_grad=True),),
        "error",
        "output_changed",
        r"When x is perturbed slightly, output 0 is float64\[2\] instead of float64\[3\]\.",
    ),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_problem_is_one_sentence(name: str) -> None:
    function, arguments, verdict, code, message = PROBLEMS[name]
    report, _ = checked(function, arguments())
    assert report.verdict == verdict
    problem = report.problems[codes(report).index(code)]
    assert re.match(message, problem.message), problem.message
    assert "\n" not in problem.message


def test_what_comes_after_a_fault_is_checked_too() -> None:
    report, _ = checked(
        sample_functions.Unscaled, (torch.zeros(3, dtype=torch.float64).requires_grad_(),)
    )
    assert block_of(report, 0, 0).wrong == 0
    assert set(codes(report)) == {"not_multiplied", "undefined_gradient"}


def test_one_broken_output_leaves_the_others_checked() -> None:
    def function(x: Tensor) -> tuple[Tensor, Tensor]:
        return sample_functions.Raises.apply(x, "backward"), x * 2

    report, _ = checked(function, (randn(3),))
    assert report.verdict == "error"
    assert [block.output for block in report.blocks] == [1]


def test_progress_has_one_total_for_the_jacobians_and_none_for_the_diagnosis() -> None:
    told: list[tuple[int, int]] = []
    report, _ = wrong_linear(progress=lambda done, total: told.append((done, total)))
    assert [done for done, _ in told] == list(range(1, report.evaluations + 1))
    # How many are needed is known from the first output on.
    jacobians = [(done, total) for done, total in told[1:] if total]
    assert {total for _, total in jacobians} == {jacobians[-1][0]}
    assert jacobians[-1][0] < report.evaluations
    assert told[-1] == (report.evaluations, 0)


@pytest.mark.parametrize("function", [sample_functions.SinAndCube, lambda x: torch.complex(x, x)])
def test_progress_counts_every_output(function: Any) -> None:
    told: list[tuple[int, int]] = []
    checked(function, (randn(2, 3),), progress=lambda done, total: told.append((done, total)))
    done, total = [each for each in told if each[1]][-1]
    assert done == total > 2


class Limit:
    """Cancels after a number of evaluations."""

    def __init__(self, count: int) -> None:
        self.left = count

    def __call__(self) -> bool:
        self.left -= 1
        return self.left < 0


def bare(blocks: Sequence[JacobianBlock]) -> list[JacobianBlock]:
    """Blocks as the comparison creates them, without later findings."""
    return [replace(block, forward=None, reference=None, spread=None) for block in blocks]


@pytest.mark.parametrize("stride", [4, pytest.param(1, marks=pytest.mark.sweep)])
def test_a_cancelled_check_keeps_the_finished_blocks(stride: int) -> None:
    whole, _ = wrong_linear()
    counts = []  # Both are finished after 50 evaluations; then comes the diagnosis.
    for limit in (*range(0, 64, stride), *range(64, whole.evaluations, 16 * stride)):
        report, sink = wrong_linear(cancelled=Limit(limit))
        assert (report.verdict, report.evaluations) == ("incomplete", limit)
        assert bare(report.blocks) == bare(whole.blocks[: len(report.blocks)])
        assert len(sink.values) >= 2 * len(report.blocks)
        counts.append(len(report.blocks))
    assert counts == sorted(counts)
    assert set(counts) == {0, 1, 2}


def test_inputs_are_put_back_when_it_is_cancelled() -> None:
    for limit in range(10):
        x = randn(2, 3)
        before = x.detach().clone()
        checked(torch.sin, (x,), cancelled=Limit(limit))
        assert torch.equal(x.detach(), before)


def test_inputs_are_put_back_when_the_function_raises_or_interrupts() -> None:
    class Broken:
        calls = 0

        def __call__(self, x: Tensor) -> Tensor:
            self.calls += 1
            if self.calls > 3:
                raise KeyboardInterrupt
            return x * 2

    x = randn(2, 3)
    before = x.detach().clone()
    with pytest.raises(KeyboardInterrupt):
        check(Broken(), (x,), sink=Kept())
    assert torch.equal(x.detach(), before)
    report, _ = checked(sample_functions.Raises, (x, "moved"))
    assert report.verdict == "error"
    assert torch.equal(x.detach(), before)


def test_other_tensors_are_put_back_too() -> None:
    counter = torch.zeros(1, dtype=torch.float64)

    def function(x: Tensor, counter: Tensor) -> Tensor:
        counter += 1
        return x * 2

    checked(function, (randn(2), counter))
    assert counter.item() == 0


def test_no_gradients_are_left_on_the_inputs() -> None:
    x = randn(2)
    checked(torch.sin, (x,))
    assert x.grad is None


def test_grad_mode_of_the_caller_does_not_matter() -> None:
    with torch.no_grad():
        assert checked(torch.sin, (randn(2),))[0].verdict == "match"


def test_system_exit_is_the_callers_business() -> None:
    def leave(x: Tensor) -> Tensor:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        checked(leave, (randn(2),))


@pytest.mark.parametrize(
    "bad", [{"eps": 0.0}, {"eps": float("nan")}, {"atol": -1.0}, {"rtol": -1.0}, {"nondet_tol": -1}]
)
def test_settings_that_make_no_sense_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(bad))):
        check(torch.sin, (randn(2),), sink=Kept(), settings=CheckSettings(**bad))


def test_it_can_run_without_anyone_watching() -> None:
    with contextlib.redirect_stdout(None):
        assert check(torch.sin, (randn(2),), sink=Kept()).verdict == "match"


def test_what_is_known_is_reported_after_each_block() -> None:
    told = []
    report, _ = wrong_linear(partial=told.append)
    assert [each.verdict for each in told] == ["incomplete", "incomplete"]
    assert [bare(each.blocks) for each in told] == [bare(report.blocks[:1]), bare(report.blocks)]
    assert {each.id for each in told} == {report.id}


def test_numerical_matrices_of_one_input_at_a_time_are_in_memory() -> None:
    count = 500
    size = count * count * 8
    few, many = [(randn(each), randn(each)) for each in (50, count)]
    check(sample_functions.Multiply, few, sink=DiscardingSink())  # Imports what a check needs.
    tracemalloc.start()
    try:
        check(sample_functions.Multiply, many, sink=DiscardingSink())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # Both analytical ones stay, and the comparison takes less than half of one.
    assert 3 * size < peak < 3.5 * size
