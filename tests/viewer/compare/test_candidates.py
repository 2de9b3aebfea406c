"""Runs that the Compare tab offers."""

from __future__ import annotations

from pathlib import Path

from gradviz.model.settings.rank import Rank
from gradviz.viewer.compare.candidates import rank_candidates


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
