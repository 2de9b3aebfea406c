"""Runs that the Compare tab offers."""

from __future__ import annotations

from pathlib import Path

from gradviz.analysis.training.iterations import Iteration
from gradviz.model.settings.rank import Rank
from gradviz.viewer.compare.candidates import iteration_candidates, rank_candidates


def test_other_ranks_beside_a_trace_are_offered(tmp_path: Path) -> None:
    for name in ("run-rank0", "run-rank1", "run-rank3", "other-rank2", "run"):
        (tmp_path / f"{name}.gradviz").touch()
    found = rank_candidates(Rank(number=1, count=4), tmp_path / "run-rank1.gradviz")
    assert [(each.title, each.path) for each in found] == [
        ("Rank 0 of 4", tmp_path / "run-rank0.gradviz"),
        ("Rank 3 of 4", tmp_path / "run-rank3.gradviz"),
    ]
    # A trace under another name may have nothing to do with those beside it.
    assert rank_candidates(Rank(number=1, count=4), tmp_path / "copy.gradviz") == []
    assert rank_candidates(None, tmp_path / "run-rank1.gradviz") == []


def test_few_iterations_are_all_offered_and_of_many_those_around_the_current_one() -> None:
    few = _iterations(5)
    titles = [each.title for each in iteration_candidates(few, few[1], None)]
    assert titles == ["Iteration 1", "Iteration 3", "Iteration 4", "Iteration 5"]
    many = _iterations(1000)
    found = [each.iteration for each in iteration_candidates(many, many[500], 777)]
    assert {1, 500, 502, 777, 1000} <= {*found}
    assert len(found) < 50
    assert iteration_candidates((), None, None) == []


def _iterations(count: int) -> list[Iteration]:
    numbers = range(1, count + 1)
    return [Iteration(number=n, first=n, last=n, passes=(), updates=()) for n in numbers]
