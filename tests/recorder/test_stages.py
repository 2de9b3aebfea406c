"""Each op is recorded in the stage, step and thread in which it ran."""

from __future__ import annotations

import contextlib
import sys
import threading
import warnings
from _thread import start_new_thread
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
import torch
from torch.autograd import Function
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

from gradviz.model.inside import StageRecord
from gradviz.model.step import ForwardStep
from gradviz.recorder.thread_state import ThreadStates
from tests.recorder.dispatch_oracle import parts
from tests.recorder.programs import Cube, Fails, Scale, leaf
from tests.recorder.recorded_run import RecordedRun, record_run
from tests.recorder.unusual_programs import Generated

Stages = list[tuple[str, str, list[str]]]


def name_of(recording: RecordedRun, number: int) -> str:
    step = recording.trace.steps[number - 1]
    name: str = step.op if isinstance(step, ForwardStep) else recording.index.node[step.node].name
    return name.rpartition("::")[2]


def stages(recording: RecordedRun) -> Stages:
    """Step, stage and ops, in order."""
    return [
        (
            name_of(recording, number),
            part.stage,
            [op.name.removeprefix("aten::") for op in part.ops],
        )
        for number, part in parts(recording)
    ]


def look(tmp_path: Path, code: Callable[[], Any], **options: Any) -> RecordedRun:
    return record_run(tmp_path, code, level="ops", **options)


def the(recording: RecordedRun, name: str, stage: str) -> StageRecord:
    (found,) = [
        part
        for number, part in parts(recording)
        if (name_of(recording, number), part.stage) == (name, stage)
    ]
    return found


class Outer(Function):
    """Calls another Function in its forward and its backward, and makes nodes in both."""

    @staticmethod
    def forward(ctx, x):
        y = x + 1
        with torch.enable_grad():
            (y.detach().requires_grad_() * 3).exp()
        z = Scale.apply(y)
        return z - 2

    @staticmethod
    def backward(ctx, grad):
        scaled = Scale.apply(grad.neg())
        with torch.enable_grad():
            inner = grad.detach().requires_grad_()
            (inner * inner).sum().backward()
        return scaled + inner.grad


def test_inner_calls_and_passes_have_stages_of_their_own(tmp_path: Path) -> None:
    x = leaf(3)
    recording = look(tmp_path, lambda: Outer.apply(x).sum().backward())
    assert stages(recording) == [
        ("Outer", "forward", ["add", "detach", "mul", "exp", "detach", "sub"]),
        ("Scale", "forward", ["mul"]),
        ("sum", "forward", ["sum"]),
        ("SumBackward0", "backward", ["expand"]),
        ("OuterBackward", "backward", ["neg", "detach", "mul", "sum", "ones_like", "add"]),
        ("Scale", "forward", ["mul"]),
        ("SumBackward0", "backward", ["expand"]),
        ("MulBackward0", "backward", ["mul", "mul"]),
        ("AccumulateGrad", "accumulate", ["detach"]),
        ("AccumulateGrad", "accumulate", ["detach"]),
    ]
    assert all(part.finished and not part.thread for _, part in parts(recording))
    inside = [inside.id for inside in recording.trace.insides]
    made = [step.number for step in recording.steps(ForwardStep) if step.op in ("mul", "exp")]
    assert made
    assert not set(made) & set(inside), "these ops stand in the methods that called them"


def test_the_parts_of_a_split_function(tmp_path: Path) -> None:
    class Split(Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0] + 1, output)

        @staticmethod
        def backward(ctx, grad):
            return (grad * ctx.saved_tensors[0]).expand(2, 3)

    x = leaf(3)
    recording = look(tmp_path, lambda: Split.apply(x).sum().backward())
    assert stages(recording)[:3] == [
        ("Split", "forward", ["mul"]),
        ("Split", "setup_context", ["add"]),
        ("Split", "save", ["detach"]),
    ]
    assert stages(recording)[5:7] == [
        ("SplitBackward", "backward", ["detach", "mul", "expand"]),
        ("SplitBackward", "engine", ["sum", "view"]),
    ]
    for name, stage in (("Split", "save"), ("SplitBackward", "engine")):
        assert {op.location for op in the(recording, name, stage).ops} == {None}


def test_a_backward_that_makes_nodes_keeps_their_ops(tmp_path: Path) -> None:
    x = leaf(3)

    def run() -> None:
        (first,) = torch.autograd.grad(Cube.apply(x)[0].sum(), x, create_graph=True)
        first.sum().backward()

    recording = look(tmp_path, run)
    calls = ["mul", "mul", "mul", "add"]
    found = [each for each in stages(recording) if each[0] == "CubeBackward"]
    # Of a saved output torch makes a new tensor.
    assert found == [("CubeBackward", "backward", ["zeros", "detach", *calls])] * 2
    made = [step for step in recording.steps(ForwardStep) if step.pass_id == 1]
    assert len(made) == len(calls) - 1, "one of them has no tensor that needs a gradient"
    assert not {step.number for step in made} & {inside.id for inside in recording.trace.insides}


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_checkpoint_rerun_is_listed_with_its_calls(reentrant: bool, tmp_path: Path) -> None:
    x = leaf(3)

    def run() -> None:
        block = checkpoint(lambda t: Scale.apply(t.sin()).exp(), x, use_reentrant=reentrant)
        block.sum().backward()

    recording = look(tmp_path, run)
    found = stages(recording)
    assert found.count(("Scale", "forward", ["mul"])) == 2
    assert [ops[-1] for name, _, ops in found if name == "sin"] == ["sin"] * (2 - reentrant)
    assert (("CheckpointFunction", "forward", ["sin", "exp"]) in found) is reentrant
    ops = [op for _, part in parts(recording) for op in part.ops if op.name == "aten::sin"]
    assert len(ops) == 2
    for op in ops:
        assert op.location is not None
        assert op.location.path == __file__


@pytest.mark.parametrize(
    ("where", "unfinished"),
    [
        ("forward", []),
        ("backward", []),
        ("shape", [("FailsBackward", "engine")]),
        ("count", [("FailsBackward", "engine")]),
    ],
)
def test_stages_that_fail_are_not_finished(
    where: str, unfinished: list[Any], tmp_path: Path
) -> None:
    def run() -> None:
        Fails.apply(leaf(3) * 1, where).sum().backward()

    recording = look(tmp_path, run, raises=True)
    listed = [
        (name_of(recording, number), part.stage)
        for number, part in parts(recording)
        if not part.finished
    ]
    # Only stages in which something was recorded are told.
    assert listed == [each for each in unfinished if each in listed]
    assert not torch._C._len_torch_dispatch_stack()  # noqa: SLF001 - the mode is off again


class Raises(Function):
    @staticmethod
    def forward(ctx, x, end):
        ctx.end = end
        with contextlib.suppress(RuntimeError):
            x.view(7)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        doubled = grad * 2
        if ctx.end == "exit":
            sys.exit(3)
        return doubled @ torch.ones(9), None


@pytest.mark.parametrize("end", ["exit", "op"])
def test_an_op_that_raised_is_there_unfinished(end: str, tmp_path: Path) -> None:
    recording = look(tmp_path, lambda: Raises.apply(leaf(3), end).sum().backward(), raises=True)
    assert isinstance(recording.error, SystemExit if end == "exit" else RuntimeError)
    forward = the(recording, "Raises", "forward")
    assert [(op.name, op.finished) for op in forward.ops] == [
        ("aten::view", False),
        ("aten::mul", True),
    ]
    assert forward.ops[0].outputs == ()
    assert forward.ops[0].duration_ns is None
    backward = the(recording, "RaisesBackward", "backward")
    assert not backward.finished
    ones = [] if end == "exit" else [("aten::ones", True), ("aten::dot", False)]
    assert [(op.name, op.finished) for op in backward.ops] == [("aten::mul", True), *ones]


class Deep(Function):
    @staticmethod
    def forward(ctx, x, depth):
        ctx.depth = depth
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        if not ctx.depth:
            return grad * 5, None
        with torch.enable_grad():
            inner = grad.detach().requires_grad_()
            Deep.apply(inner, ctx.depth - 1).sum().backward()
        return inner.grad, None


def test_a_thread_of_the_engine_that_code_has_asked_for_its_name() -> None:
    found: SimpleQueue[str] = SimpleQueue()

    def run() -> None:
        # Leaves an object behind, which a later thread with the same id would be taken for.
        threading.current_thread()
        found.put(ThreadStates().thread_name())

    start_new_thread(run, ())
    assert found.get(timeout=10) == "autograd engine"


def test_the_engines_own_threads(tmp_path: Path) -> None:
    """Passes nested deeper than 60 run in a thread that C++ made, as on a GPU all do."""
    x = leaf(3)
    # Not much deeper: each pass has a dozen frames, and pytest has a hundred below them.
    recording = look(tmp_path, lambda: Deep.apply(x, 62).sum().backward())
    backward = [
        part
        for number, part in parts(recording)
        if (name_of(recording, number), part.stage) == ("DeepBackward", "backward")
    ]
    assert len(backward) == 63
    listed = {tuple(op.name for op in part.ops) for part in backward[:-1]}
    assert listed == {("aten::detach", "aten::sum", "aten::ones_like")}
    assert [op.name for op in backward[-1].ops] == ["aten::mul"]
    assert backward[0].thread == ""
    assert backward[-1].thread == "autograd engine"
    assert x.grad is not None
    assert x.grad.tolist() == [5, 5, 5]


def test_threads_of_the_run_do_not_cross(tmp_path: Path) -> None:
    turns = threading.Barrier(3)

    class Slow(Function):
        @staticmethod
        def forward(ctx, x, times):
            for _ in range(times):
                turns.wait(10)
                x = x + times
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 2, None

    pool = ThreadPoolExecutor(1, thread_name_prefix="older")
    pool.submit(int).result()

    def work() -> None:
        Slow.apply(leaf(3), 4).sum().backward()

    def run() -> None:
        thread = threading.Thread(target=work, name="newer")
        thread.start()
        older = pool.submit(work)
        work()
        thread.join()
        older.result()

    recording = look(tmp_path, run)
    pool.shutdown()
    found = [part for number, part in parts(recording) if name_of(recording, number) == "Slow"]
    assert sorted(part.thread for part in found) == ["", "newer", "older_0"]
    assert all([op.name for op in part.ops] == ["aten::add"] * 4 for part in found)
    done = [
        part for number, part in parts(recording) if name_of(recording, number) == "SlowBackward"
    ]
    assert sorted(part.thread for part in done) == ["", "newer", "older_0"]
    assert all([op.name for op in part.ops] == ["aten::mul"] for part in done)


def test_a_mode_of_the_run_stays_above_ours(tmp_path: Path) -> None:
    class Mine(TorchDispatchMode):
        seen: list[str] = []  # noqa: RUF012 - of this test alone

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.seen.append(str(func))
            return func(*args, **(kwargs or {}))

    def run() -> Any:
        x = leaf(3)
        with Mine():
            Scale.apply(x).sum().backward()
        return x.grad

    plain = run().tolist()
    expected = Mine.seen[:]
    Mine.seen.clear()
    recording = look(tmp_path, run)
    assert Mine.seen == expected
    assert recording.result.tolist() == plain
    assert ("Scale", "forward", ["mul"]) in stages(recording)


def test_transforms(tmp_path: Path) -> None:
    def run() -> Any:
        x = torch.randn(3, dtype=torch.float64)
        torch.func.grad(lambda t: Generated.apply(t).sum())(x)
        torch.vmap(Generated.apply)(x)

    found = stages(look(tmp_path, run))
    assert found.count(("Generated", "forward", ["sin"])) == 2


def test_compiled_callers(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = torch.compile(lambda t: Scale.apply(t) - 2)
        recording = look(tmp_path, lambda: compiled(leaf(3)))
    assert stages(recording) == [("Scale", "forward", ["mul"]), ("sub", "forward", ["sub"])]
