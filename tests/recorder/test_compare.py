"""Scenes that are meant to be compared, recorded here and compared."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from gradviz.analysis.compare.run_comparison import RunComparison, compare_runs
from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.gallery.registry import SCENES, scene
from gradviz.model.step import AccumulateStep
from gradviz.store.reader import open_trace
from gradviz.text.compare import comparison_summary
from tests.recorder.recorded_run import record_run
from tests.recorder.scene_runs import run_scene


def recorded(folder: Path, name: str) -> TraceIndex:
    folder.mkdir()
    torch.manual_seed(0)
    record_run(folder, lambda: run_scene(scene(name)))
    with open_trace(folder / "run.gradviz") as reader:
        trace = reader.trace()
        values = {record.id: reader.value(record.id) for record in trace.tensors}
    return index_trace(trace, values.get)


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


@pytest.mark.parametrize("name", [each.id for each in SCENES])
def test_each_scene_equals_itself(name: str, tmp_path: Path) -> None:
    found = compared(tmp_path, name, name)
    assert found.outcome == "equal"
    assert found.mismatches == ()
