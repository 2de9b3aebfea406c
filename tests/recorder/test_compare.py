"""Scenes that are meant to be compared, recorded here and compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.analysis.compare.graph_marks import GraphMarks, graph_marks
from gradviz.analysis.compare.run_comparison import RunComparison, compare_runs
from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.export.compare.json_document import compare_document
from gradviz.gallery.registry import Scene, scene
from gradviz.model.step import AccumulateStep
from gradviz.store.reader import open_trace
from gradviz.text.compare import comparison_summary
from tests.recorder.recorded_run import record_run
from tests.recorder.scene_runs import run_scene
from tests.sweeps import scene_of_each_kind


def trace_of(folder: Path, run: Callable[[], Any]) -> TraceIndex:
    folder.mkdir()
    torch.manual_seed(0)
    record_run(folder, run)
    with open_trace(folder / "run.gradviz") as reader:
        trace = reader.trace()
        values = {record.id: reader.value(record.id) for record in trace.tensors}
    return index_trace(trace, values.get)


def recorded(folder: Path, name: str) -> TraceIndex:
    return trace_of(folder, lambda: run_scene(scene(name)))


def compared(folder: Path, left: str, right: str) -> RunComparison:
    return compare_runs(recorded(folder / "left", left), recorded(folder / "right", right))


def largest_in_leaves(found: RunComparison) -> float:
    """The largest difference between gradients of leaves."""
    return max(
        (value.difference.largest or 0.0)
        for number, step in enumerate(found.left.trace.steps, 1)
        if isinstance(step, AccumulateStep)
        for value in found.values(number, found.pairs.right(number))
    )


@pytest.mark.parametrize(
    ("left", "right", "outcome", "apart"),
    [
        # grad_weight without its transpose: 1 and 5 where 2 and 4 are true, in sevenths.
        ("linear-wrong", "linear", "differ", 1 / 7),
        ("linear-split", "linear-split-merged", "equal", 0.0),
        # Halved by the hook: 1 where 2 was.
        ("hook-instead", "hook-instead-without", "differ", 1.0),
        # Through the old name the gradient is silently 1 where 2 is true.
        ("mark-dirty", "mark-dirty-unmarked", "differ", 1.0),
        ("exp", "exp", "equal", 0.0),
    ],
)
def test_pairs_of_scenes(left: str, right: str, outcome: str, apart: float, tmp_path: Path) -> None:
    found = compared(tmp_path, left, right)
    assert found.outcome == outcome
    assert largest_in_leaves(found) == pytest.approx(apart, rel=1e-12)


def test_our_silu_is_torchs(tmp_path: Path) -> None:
    found = compared(tmp_path, "builtin-instead", "builtin-instead-torch")
    assert found.outcome in ("equal", "rounding")
    assert found.pairs.only_left == found.pairs.only_right == ()
    assert largest_in_leaves(found) <= 1e-15


def test_zeros_arrive_where_gradients_are_materialized(tmp_path: Path) -> None:
    found = compared(tmp_path, "mul-constant-undefined", "mul-constant-undefined-default")
    assert "it is None on the left and a tensor on the right" in comparison_summary(found)


def test_an_intermediate_cuts_the_second_derivative(tmp_path: Path) -> None:
    found = compared(tmp_path, "cube", "cube-wrong")
    assert found.outcome == "differ"
    # Three passes on the left, two on the right.
    assert (len(found.left.passes), len(found.right.passes)) == (3, 2)
    assert found.left.passes[2].first in found.pairs.only_left


@pytest.mark.parametrize("each", scene_of_each_kind())
def test_each_scene_equals_itself(each: Scene, tmp_path: Path) -> None:
    found = compared(tmp_path, each.id, each.id)
    assert found.outcome == "equal"
    assert found.mismatches == ()


FUNCTIONS = torch.nn.functional
OPS: dict[str, Any] = {
    # Each with options of its own.
    **{name: getattr(FUNCTIONS, name) for name in ("relu", "gelu", "softplus", "hardtanh")},
    **{name: getattr(torch, name) for name in ("exp", "sin", "neg", "cosh", "tanh", "log1p")},
}


def run_chain(chain: list[str]) -> None:
    value = torch.linspace(0.1, 0.9, 4, requires_grad=True)
    for name in chain:
        value = OPS[name](value)
    value.sum().backward()


@settings(max_examples=40, deadline=None)
@given(
    chain=st.lists(st.sampled_from(sorted(OPS)), min_size=1, max_size=6, unique=True),
    action=st.sampled_from(["nothing", "insert", "remove", "replace"]),
    place=st.integers(0, 5),
    data=st.data(),
)
def test_a_change_of_one_op_is_what_is_reported(
    chain: list[str], action: str, place: int, data: st.DataObject, tmp_path_factory: Any
) -> None:
    at = place % len(chain)
    other = data.draw(st.sampled_from([each for each in sorted(OPS) if each not in chain]))
    new = {
        "nothing": chain,
        "insert": [*chain[:at], other, *chain[at:]],
        "remove": [*chain[:at], *chain[at + 1 :]],
        "replace": [*chain[:at], other, *chain[at + 1 :]],
    }[action]
    folder = tmp_path_factory.mktemp("runs")
    left = trace_of(folder / "left", lambda: run_chain(chain))
    right = trace_of(folder / "right", lambda: run_chain(new))
    found = compare_runs(left, right)
    text = comparison_summary(found)
    changes = [(each.left, each.right) for each in found.changes]
    if action == "nothing":
        assert (found.outcome, found.mismatches, found.roundings, changes) == ("equal", (), (), [])
        assert graph_marks(found, left=True) == GraphMarks()
        return
    ops = (chain[at], other)
    number = at + 1
    expected, beginning = {
        "insert": ([((), (number,))], f"Only the right side has {ops[1]} (step {number})."),
        "remove": ([((number,), ())], f"Only the left side has {ops[0]} (step {number})."),
        "replace": (
            [((number,), (number,))],
            f"The right side has {ops[1]} (step {number}) in place of {ops[0]} (step {number}).",
        ),
    }[action]
    assert changes == expected
    assert text.startswith(beginning)
    document = compare_document(found)
    assert [(each["left"], each["right"]) for each in document["changes"]] == [
        (list(one), list(other)) for one, other in expected
    ]
    for value in (each.value for each in found.mismatches if each.verdict == "differs"):
        assert value is not None
        assert value.difference.largest is not None, value.pair
    for left_side in (True, False):
        index = left if left_side else right
        marks = graph_marks(found, left=left_side)
        assert not {step for step in marks.differing.values() if step <= at}
        assert {index.node[node].name.lower() for node in marks.alone} == {
            f"{name}backward0"
            for name in (ops[1:] if not left_side else ops[:1])
            if action == ("remove" if left_side else "insert")
        }


def test_a_layer_that_one_model_has_in_addition_does_not_rename_the_others(tmp_path: Path) -> None:
    first, norm, last = torch.nn.Linear(3, 4), torch.nn.LayerNorm(4), torch.nn.Linear(4, 2)
    relu, gelu = torch.nn.ReLU(), torch.nn.GELU()

    def run(*layers: torch.nn.Module) -> None:
        torch.nn.Sequential(*layers)(torch.ones(2, 3)).square().mean().backward()

    left = trace_of(tmp_path / "left", lambda: run(first, relu, last))
    right = trace_of(tmp_path / "right", lambda: run(first, norm, gelu, last))
    found = compare_runs(left, right)
    assert found.pairs.only_left == ()
    assert comparison_summary(found).startswith(
        "Only the right side has layer_norm (step 2). The right side has gelu (step 3) in place of "
        "relu (step 2). The two runs agree up to step 1. In step 2 (3 on the right), input is the "
        "first value to differ: by up to "
    )
