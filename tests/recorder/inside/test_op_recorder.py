"""Recorded ops are those that a plain dispatch mode sees, each in its stage."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.autograd import Function
from torch.testing._internal.autograd_function_db import autograd_function_db

from gradviz.model.inside import ExecutedLine, Op
from gradviz.recorder.inside.open_stage import OpenLine, StageOp
from tests.recorder.dispatch_oracle import (
    called_by_users,
    left_over,
    ops_of,
    parts,
    recorded,
    tensors_in,
    watched,
)
from tests.recorder.recorded_run import RecordedRun, record_run
from tests.recorder.scene_runs import WITH_FUNCTION, functions_of, run_scene
from tests.recorder.unusual_programs import ALL_PROGRAMS
from tests.sweeps import scene_of_each_kind, thinned

BESIDES = {
    *("aten::arange", "aten::view", "aten::div", "aten::lift_fresh"),
    *("aten::ones_like", "aten::add"),
}
"""What no stage has: the scene's inputs, the first gradient, sums of gradients between nodes."""

OTHER_ORDER = {"views"}
"""Asking for the node of a view makes it, which puts it elsewhere in the engine's order."""

NOT_PLAIN = {"python_threads", "traced_and_scripted"}
"""A plain mode is not told of other threads, and does not survive a traced module."""


def test_what_runs_is_written_as_what_has_run() -> None:
    assert StageOp.__struct_fields__ == Op.__struct_fields__
    assert OpenLine.__struct_fields__ == ExecutedLine.__struct_fields__


@pytest.mark.parametrize("scene", scene_of_each_kind())
def test_the_ops_of_a_scene_are_all_there_and_in_order(scene: Any, tmp_path: Path) -> None:
    torch.manual_seed(3)
    plain = ops_of(lambda: run_scene(scene))
    torch.manual_seed(3)
    rest = left_over(plain, recorded(record_run(tmp_path, lambda: run_scene(scene), level="ops")))
    assert rest is not None
    if scene.start.gradient != "nothing":  # A program does much that makes no node.
        assert {name for name, _, _ in rest} <= BESIDES


@pytest.mark.parametrize("scene", scene_of_each_kind(WITH_FUNCTION))
def test_each_method_of_a_scene_has_its_ops(scene: Any, tmp_path: Path) -> None:
    torch.manual_seed(3)
    with watched(*functions_of(scene)) as calls:
        run_scene(scene)
    torch.manual_seed(3)
    recording = record_run(tmp_path, lambda: run_scene(scene), level="ops")
    # What once_differentiable does around the method of the user is no op of it.
    ours, theirs = without_detach(calls_of(recording)), without_detach(calls)
    assert ours == theirs


def without_detach(calls: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    left = [(name, [op for op in ops if op[0] != "aten::detach"]) for name, ops in calls]
    return [call for call in left if call[1]]


def calls_of(recording: RecordedRun) -> list[tuple[str, Any]]:
    """Methods of the user and the ops that each called, in order."""
    custom = {node.id for node in recording.trace.nodes if node.kind == "custom"}
    return [
        (part.stage, ops)
        for number, part in parts(recording)
        if recording.trace.steps[number - 1].node in custom
        and part.stage in ("forward", "setup_context", "backward")
        and (ops := called_by_users(recording, part))
    ]


@pytest.mark.parametrize("name", thinned(sorted(set(ALL_PROGRAMS) - NOT_PLAIN)))
def test_the_ops_of_a_program_are_those_of_a_plain_mode(name: str, tmp_path: Path) -> None:
    run = ALL_PROGRAMS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run()
        torch.manual_seed(3)
        plain = ops_of(run)
        torch.manual_seed(3)
        ours = recorded(record_run(tmp_path, run, level="ops"))
    assert ours
    assert Counter(ours) <= Counter(plain)
    if name not in OTHER_ORDER:
        assert left_over(plain, ours) is not None


def test_the_ops_of_a_module_are_all_there(tmp_path: Path) -> None:
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    x = torch.randn(2, 3, 8)

    def run() -> None:
        layer.zero_grad()
        layer(x).sum().backward()

    torch.manual_seed(1)
    plain = ops_of(run)
    torch.manual_seed(1)
    recording = record_run(tmp_path, run, level="ops")
    rest = left_over(plain, recorded(recording))
    assert rest is not None
    # The first transposition is one of the input, which makes no node.
    named = Counter(name for name, _, _ in rest)
    assert named == {"aten::ones_like": 1, "aten::add": 3, "aten::transpose": 1}
    assert all(
        op.location is None
        for number, part in parts(recording)
        if part.stage in ("backward", "engine", "accumulate")
        for op in part.ops
    )


@pytest.mark.parametrize("tested", thinned(autograd_function_db), ids=lambda tested: tested.name)
def test_the_ops_of_torchs_own_functions_are_all_there(tested: Any, tmp_path: Path) -> None:
    sample = next(iter(tested.sample_inputs("cpu", torch.float32, requires_grad=True)))

    def run() -> None:
        outputs = tensors_in(tested.op(sample.input, *sample.args, **sample.kwargs))
        made = [each for each in outputs if each.requires_grad]
        torch.autograd.backward(made, [torch.ones_like(each) for each in made])

    run()
    recording = record_run(tmp_path, run, level="ops")
    for each in tensors_in((sample.input, sample.args)):
        each.grad = None
    run()
    rest = left_over(ops_of(run), recorded(recording))
    assert rest is not None
    assert {name for name, _, _ in rest} == {"aten::ones_like"}


class Everything(Function):
    """Lists, several returns, in place, ``out=``, and scalars."""

    @staticmethod
    def forward(ctx, x, y):
        both = torch.cat([x, y])
        largest, _ = both.max(0)
        both.mul_(2).add_(largest)
        out = torch.empty_like(x)
        torch.sub(x, y, out=out)
        first, second = out.split(1)
        torch._foreach_add_([first, second], 1.0)
        return both[:2] * out.sum().item()

    @staticmethod
    def backward(ctx, grad):
        return grad, None


def ops_of_everything(tmp_path: Path) -> tuple[RecordedRun, dict[str, Op]]:
    def run() -> None:
        x, y = torch.ones(2, 3), torch.full((2, 3), 3.0)
        Everything.apply(x.requires_grad_(), y)

    recording = record_run(tmp_path, run, level="ops")
    (part,) = [part for _, part in parts(recording) if part.stage == "forward"]
    return recording, {f"{op.name}.{op.overload}": op for op in part.ops}


def test_arguments_are_named_by_the_schema(tmp_path: Path) -> None:
    _, ops = ops_of_everything(tmp_path)
    assert [i.name for i in ops["aten::cat.default"].inputs] == ["tensors[0]", "tensors[1]"]
    assert [i.name for i in ops["aten::max.dim"].inputs] == ["self", "dim"]
    assert [i.name for i in ops["aten::max.dim"].outputs] == ["values", "indices"]
    split = ops["aten::split.Tensor"]
    assert [i.name for i in split.outputs] == ["output[0]", "output[1]"]
    assert [(i.name, i.text) for i in split.inputs[1:]] == [("split_size", "1")]
    assert [i.text for i in ops["aten::_local_scalar_dense.default"].outputs] == ["-6.0"]


def test_writes_are_reported_with_the_values_before_and_after(tmp_path: Path) -> None:
    recording, ops = ops_of_everything(tmp_path)
    doubled = ops["aten::mul_.Tensor"]
    assert doubled.writes == (0,)
    assert recording.of(doubled.inputs[0])[0] == [1, 1, 1]
    assert recording.of(doubled.outputs[0])[0] == [2, 2, 2]
    into = ops["aten::sub.out"]
    assert into.writes == (2,)
    assert into.inputs[2].name == "out"
    assert recording.of(into.outputs[0]) == [[-2, -2, -2], [-2, -2, -2]]
    assert ops["aten::_foreach_add_.Scalar"].writes == (0, 1)
    assert ops["aten::cat.default"].writes == ()


def test_batch_norm_mentions_its_updated_statistics(tmp_path: Path) -> None:
    norm = nn.BatchNorm1d(2)
    recording = record_run(tmp_path, lambda: norm(torch.randn(4, 2)).sum(), level="ops")
    (op,) = [op for _, part in parts(recording) for op in part.ops if "batch_norm" in op.name]
    assert [op.inputs[at].name for at in op.writes] == ["running_mean", "running_var"]


def test_ops_know_their_line_and_their_time(tmp_path: Path) -> None:
    recording, ops = ops_of_everything(tmp_path)
    lines = Path(__file__).read_text().splitlines()
    for op in ops.values():
        assert op.location is not None
        assert op.location.function == "Everything.forward"
        assert op.duration_ns is not None
        assert op.duration_ns >= 0
    assert "torch.cat" in lines[ops["aten::cat.default"].location.line - 1]
    assert ".item()" in lines[ops["aten::_local_scalar_dense.default"].location.line - 1]
    starts = [op.started_ns for _, part in parts(recording) for op in part.ops]
    assert starts == sorted(starts)


@pytest.mark.parametrize("scene", scene_of_each_kind(WITH_FUNCTION))
def test_the_line_of_an_op_is_the_one_that_called_it(scene: Any, tmp_path: Path) -> None:
    recording = record_run(tmp_path, lambda: run_scene(scene), level="all")
    with_lines = [part for _, part in parts(recording) if part.lines]
    assert with_lines
    for part in with_lines:
        for op in part.ops:
            assert (op.line is None) == (op.location is None)
            if op.line is not None and op.location is not None:
                line = part.lines[op.line]
                assert line.location.path == op.location.path
                assert line.location.line <= op.location.line <= line.last_line


def test_a_stage_with_too_many_ops_counts_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run() -> None:
        Everything.apply(torch.ones(2, 3), torch.ones(2, 3))

    monkeypatch.setattr("gradviz.recorder.inside.op_recorder.MOST_OPS", 3)
    recording = record_run(
        tmp_path, lambda: Everything.apply(torch.ones(2, 3), torch.ones(2, 3)), level="ops"
    )
    ((_, part),) = parts(recording)
    plain = ops_of(run)
    made = sum(name == "aten::ones" for name, _, _ in plain)
    assert len([op for op in part.ops if op.seen]) + part.more_ops >= len(plain) - made
    assert len(part.ops) == 3


def test_what_a_mode_would_alter_is_left_out_and_said(tmp_path: Path) -> None:
    x = torch.randn(5, dtype=torch.float64).requires_grad_()

    def run() -> torch.Tensor:
        x.grad = None
        (torch.prod(x) + torch.cumprod(x, 0).sum()).backward()
        return x.grad.clone()

    plain = run()
    recording = record_run(tmp_path, run, level="ops")
    assert torch.equal(recording.result, plain)
    named = {
        recording.index.node[finding.node].name
        for finding in recording.trace.findings
        if finding.code == "ops_left_out"
    }
    assert named == {"ProdBackward0", "CumprodBackward0"}


@pytest.mark.parametrize("reduce", [torch.max, torch.min, torch.median, torch.nanmedian])
def test_zeros_keep_their_sign(tmp_path: Path, reduce: Any) -> None:
    x = torch.tensor([1.0, 3.0, 2.0]).requires_grad_()

    def run() -> torch.Tensor:
        x.grad = None
        reduce(x).backward(torch.tensor(-1.0))
        return torch.signbit(x.grad)

    assert torch.equal(run(), x == reduce(x))
    assert torch.equal(record_run(tmp_path, run, level="ops").result, x == reduce(x))


@pytest.mark.parametrize("decompose", [torch.linalg.eig, torch.linalg.eigh])
def test_a_gradient_that_torch_refuses_is_refused(tmp_path: Path, decompose: Any) -> None:
    matrix = torch.tensor([[2, 1j], [-1j, 5]], dtype=torch.complex128)
    vectors = decompose(matrix.requires_grad_())[1]

    def run() -> None:
        # The phase of an eigenvector is not determined, and this loss depends on it.
        (vectors.real + vectors.imag).sum().backward(retain_graph=True)

    with pytest.raises(RuntimeError, match="specified up to multiplication"):
        run()
    with pytest.raises(RuntimeError, match="specified up to multiplication"):
        record_run(tmp_path, run, level="ops")
