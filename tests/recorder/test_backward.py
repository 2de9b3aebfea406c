"""Recorded backward passes: None, changes by the engine, nested and second-order passes."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.checkpoint import checkpoint

from gradviz.analysis.received_gradients import received_gradients
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep, PassBeginStep, PassEndStep
from gradviz.recorder.tensors import known_tensors
from gradviz.recorder.tensors.fingerprint import fingerprint
from gradviz.text.narration import describe_step
from tests.recorder.programs import Cube, Double, Scale, Sort, Two, ViewSaved, leaf
from tests.recorder.recorded_run import record_run
from tests.recorder.unusual_programs import ALL_PROGRAMS as PROGRAMS


def test_undefined_gradients_stay_none(tmp_path: Path) -> None:
    recording = record_run(tmp_path, PROGRAMS["several_outputs_and_none"])
    step = recording.named(NodeStep, "TwoBackward")
    assert [item.kind for item in step.incoming] == ["none", "none", "tensor"]
    assert [item.kind for item in step.received] == ["none", "none", "tensor"]
    assert [item.name for item in step.received] == ["a", "i", "b"]
    assert recording.trace.calls[0].materialize_grads is False


@pytest.mark.parametrize("mode", [torch.enable_grad, torch.inference_mode])
def test_a_pass_may_start_at_a_leaf(mode: Any, tmp_path: Path) -> None:
    x = leaf(2)

    def run() -> None:
        with mode():
            x.backward(torch.ones_like(x))

    recording = record_run(tmp_path, run)
    (step,) = recording.steps(AccumulateStep)
    assert recording.of(step.total) == [1, 1]


def test_made_up_zeros_are_distinguished_from_what_came_in(tmp_path: Path) -> None:
    recording = record_run(tmp_path, PROGRAMS["non_differentiable"])
    step = recording.named(NodeStep, "SortBackward")
    assert step.incoming[1].kind == "none"
    assert recording.of(step.received[1]) == [0, 0, 0, 0]
    call = recording.trace.calls[0]
    assert call.non_differentiable == (1,)
    assert call.once_differentiable is True


def test_what_the_engine_changed(tmp_path: Path) -> None:
    recording = record_run(tmp_path, PROGRAMS["reduced_and_cast"])
    step = recording.named(NodeStep, "ReducedBackward")
    assert [passed.change for passed in step.passed] == ["cast", "reduced", "reduced"]
    raw, made = step.returned[1], step.passed[1].item
    assert recording.index.tensor[raw.tensor].shape == (3, 2, 4)
    assert recording.index.tensor[made.tensor].shape == (2, 4)
    assert (recording.values[raw.tensor].sum(0) == recording.values[made.tensor]).all()


def test_an_unneeded_gradient_is_dropped(tmp_path: Path) -> None:
    class Generous(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad, torch.ones(77)

    recording = record_run(
        tmp_path, lambda: Generous.apply(leaf(3), torch.ones(3)).sum().backward()
    )
    step = recording.named(NodeStep, "GenerousBackward")
    assert [passed.change for passed in step.passed] == ["unchanged", "dropped"]
    assert recording.index.tensor[step.returned[1].tensor].shape == (77,)


def test_a_gradient_changed_in_place_shows_as_it_came(tmp_path: Path) -> None:
    class Rude(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad.mul_(10)

    recording = record_run(
        tmp_path, lambda: (Rude.apply(leaf(2)) * 1).backward(torch.ones(2).double())
    )
    step = recording.named(NodeStep, "RudeBackward")
    assert recording.of(step.received[0]) == [1, 1]
    assert recording.of(step.returned[0]) == [10, 10]


def test_contributions_and_totals(tmp_path: Path) -> None:
    def run() -> None:
        x = leaf(1)
        for _ in range(2):
            (x * 2 + x * 3).backward()

    recording = record_run(tmp_path, run)
    steps = recording.steps(AccumulateStep)
    assert [recording.of(step.contribution) for step in steps] == [[5], [5]]
    assert [recording.of(step.total) for step in steps] == [[5], [10]]


def test_second_order_nodes_know_who_made_them(tmp_path: Path) -> None:
    recording = record_run(tmp_path, PROGRAMS["double_backward"])
    first = next(node for node in recording.trace.nodes if node.name == "CubeBackward")
    begins = recording.steps(PassBeginStep)
    assert [begin.create_graph for begin in begins] == [True, True, False]
    assert [begin.accumulate for begin in begins] == [False, False, True]
    inside = [step for step in recording.steps(ForwardStep) if step.pass_id == 1]
    assert [step.op for step in inside] == ["mul", "mul", "add"]
    assert {recording.index.node[step.node].made_by for step in inside} == {first.id}
    ends = recording.steps(PassEndStep)
    assert [[item.name for item in end.results] for end in ends] == [["x"], ["x"], []]
    assert recording.values[ends[0].results[0].tensor].tolist() == recording.result[1].tolist()


def test_reentrant_passes_have_a_parent(tmp_path: Path) -> None:
    recording = record_run(tmp_path, PROGRAMS["reentrant"])
    assert [(begin.pass_id, begin.parent) for begin in recording.steps(PassBeginStep)] == [
        (1, None),
        (2, 1),
    ]
    assert [end.pass_id for end in recording.steps(PassEndStep)] == [2, 1]


def test_both_checkpoints(tmp_path: Path) -> None:
    def run(reentrant: bool) -> None:
        x = leaf(2)
        y = checkpoint(lambda t: Scale.apply(t).exp(), x * 1, use_reentrant=reentrant)
        y.sum().backward()

    for number, reentrant in enumerate((False, True)):
        folder = tmp_path / str(number)
        folder.mkdir()
        recording = record_run(folder, lambda reentrant=reentrant: run(reentrant))
        assert [call.function for call in recording.trace.calls] == ["Scale", "Scale"]
        assert [call.node is None for call in recording.trace.calls] == [reentrant, False]
        assert (
            sum(begin.parent is not None for begin in recording.steps(PassBeginStep)) == reentrant
        )


def test_roles_of_saved_values(tmp_path: Path) -> None:
    def run() -> None:
        ViewSaved.apply(leaf(2, 2))
        Cube.apply(leaf(2))

    recording = record_run(tmp_path, run)
    view, cube = (recording.index.saved[call.node] for call in recording.trace.calls)
    assert [(slot.item.name, slot.role, slot.role_index) for slot in view] == [
        ("x.view(-1)", "view_of_input", 0),
        ("y", "intermediate", None),
        ("x + 1", "intermediate", None),
    ]
    assert [(slot.item.name, slot.role, slot.role_index) for slot in cube] == [
        ("x", "input", 0),
        ("d", "output", 1),
    ]
    assert cube[1].item.tensor == recording.trace.calls[1].outputs[1].tensor
    assert [item.name for item in recording.trace.calls[0].attributes] == ["kept"]


def test_saved_dimensions_that_torch_returns_as_unsigned_are_explained(tmp_path: Path) -> None:
    x = leaf(2, 3)
    results = [x.transpose(-2, 1), x.sum((-1, 0))]
    recording = record_run(tmp_path, lambda: x.transpose(-2, 1).sum((-1, 0)).backward())
    shown = {slot.item.name: slot.item.text for slot in recording.trace.saved}
    for result, name, signed in ((results[0], "dim0", -2), (results[1], "dim", (-1, 0))):
        saved = getattr(result.grad_fn, f"_saved_{name}")
        assert shown[name] == f"{saved} ({signed} as uint64)"
    assert shown["dim1"] == "1"


def test_what_calls_declare(tmp_path: Path) -> None:
    def run() -> None:
        Double.apply(leaf(2) * 1)
        Sort.apply(leaf(2))
        Two.apply(leaf(2))
        with torch.no_grad():
            Scale.apply(leaf(2), 3.0)

    double, sort, two, scale = record_run(tmp_path, run).trace.calls
    assert double.dirty == (0,)
    assert sort.non_differentiable == (1,)
    assert two.materialize_grads is False
    assert scale.node is None
    assert [item.text for item in scale.arguments] == ["", "3.0"]
    assert scale.needs_input_grad == (True, False)


def test_builtin_operations_in_python_threads_are_steps(tmp_path: Path) -> None:
    def run() -> None:
        thread = threading.Thread(target=lambda: leaf(2).sin().sum().backward())
        thread.start()
        thread.join()

    recording = record_run(tmp_path, run)
    assert [step.op for step in recording.steps(ForwardStep)] == ["sin", "sum"]
    assert len(recording.steps(NodeStep)) == 2
    assert all(step.thread for step in recording.steps(NodeStep))


def test_prints_beyond_the_budget_are_counted(tmp_path: Path) -> None:
    def run() -> None:
        print("12345\n678", end="")  # noqa: T201 - recorded
        print("\n" * 10)  # noqa: T201 - recorded

    recording = record_run(tmp_path, run, console_characters=7, pass_console_on=False)
    assert "".join(text.text for text in recording.trace.console) == "12345\n6"
    (cut,) = recording.trace.cuts
    assert (cut.characters, cut.lines) == (13, 11)


def test_compiled_callers_run_as_they_stand(tmp_path: Path) -> None:
    def run() -> torch.Tensor:
        x = leaf(2)
        torch.compile(lambda t: Scale.apply(t).sum(), backend="eager")(x).backward()
        return x.grad

    recording = record_run(tmp_path, run)
    assert [call.function for call in recording.trace.calls] == ["Scale"]
    assert recording.result.tolist() == [2, 2]


def test_a_gradient_that_changes_after_its_accumulation_is_recorded_again(tmp_path: Path) -> None:
    engine = torch.autograd.Variable._execution_engine  # noqa: SLF001
    x, y, z = leaf(2), leaf(2), leaf(2)

    def halve(gradient: torch.Tensor) -> None:
        # DistributedDataParallel averages gradients in such a callback, of C++.
        engine.queue_callback(lambda: x.grad.mul_(0.5))
        engine.queue_callback(lambda: setattr(y, "grad", y.grad * 3))
        # The same elements elsewhere, as in the view of a bucket.
        engine.queue_callback(lambda: setattr(z, "grad", z.grad.clone()))

    def run() -> tuple[torch.Tensor, ...]:
        handle = z.register_hook(halve)
        (x * y * z).sum().backward()
        handle.remove()
        (x * y * z).sum().backward()
        return x.grad, y.grad, z.grad

    run()
    expected = [each.clone() for each in (x.grad, y.grad)]
    for each in (x, y, z):
        each.grad = None
    recording = record_run(tmp_path, run)
    assert torch.equal(recording.result[0], expected[0])
    assert torch.equal(recording.result[1], expected[1])
    first, second = recording.steps(PassEndStep)
    local = y.detach() * z.detach(), x.detach() * z.detach()
    found = {
        recording.index.node[each.node].variable_name: recording.of(each.total)
        for each in first.totals
    }
    assert found == {"x": (local[0] * 0.5).tolist(), "y": (local[1] * 3).tolist()}
    assert second.totals == ()
    received = received_gradients(recording.index, first)
    assert {each.name: each.changed for each in received} == {"x": True, "y": True, "z": False}
    assert {each.name: recording.of(each.item) for each in received if each.changed} == found
    assert describe_step(recording.index, first) == (
        "Backward pass 1 is complete. x.grad and y.grad changed again before the end of the pass."
    )


@pytest.mark.parametrize("has_hook", [False, True])
def test_large_gradients_are_read_again_only_if_hooks_may_change_them(
    has_hook: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, read = leaf(5_000), []

    def reading(tensor: torch.Tensor) -> bytes:
        read.append(tensor.shape)
        return fingerprint(tensor)

    def replace(tensor: torch.Tensor) -> None:
        tensor.grad = tensor.grad.clone()

    monkeypatch.setattr(known_tensors, "fingerprint", reading)
    if has_hook:
        x.register_post_accumulate_grad_hook(replace)
    recording = record_run(tmp_path, lambda: (x * 2).sum().backward())
    assert bool(read) == has_hook
    assert [step.totals for step in recording.steps(PassEndStep)] == [()]
