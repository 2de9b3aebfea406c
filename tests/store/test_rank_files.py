"""Traces of the ranks of one program are found by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.model.settings.rank import Rank
from gradviz.model.settings.recording_scope import RecordingScope
from gradviz.store.output import choose_output
from gradviz.store.rank_files import one_of_each_program, rank_paths
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN


def test_ranks_in_the_same_folder_are_found(tmp_path: Path) -> None:
    for name in ("run-rank0", "run-rank1", "run-rank3", "other-rank2", "run"):
        (tmp_path / f"{name}.gradviz").touch()
    rank = Rank(number=1, count=4)
    path = tmp_path / "run-rank1.gradviz"
    expected = {number: tmp_path / f"run-rank{number}.gradviz" for number in (0, 1, 3)}
    assert rank_paths(rank, path) == expected
    # A trace under another name may have nothing to do with those beside it.
    assert rank_paths(rank, tmp_path / "copy.gradviz") == {}
    assert rank_paths(None, path) == {}


def test_one_trace_of_each_program_is_kept(tmp_path: Path) -> None:
    names = ("a-rank1", "a-rank0", "b-rank0", "a", "rank0", "sub/a-rank0")
    paths = [tmp_path / f"{name}.gradviz" for name in names]
    kept = one_of_each_program(paths)
    assert [paths.index(each) for each in kept] == [0, 2, 3, 4, 5]
    assert list(one_of_each_program([paths[3], paths[3]])) == [paths[3], paths[3]]


def test_ranks_of_another_launch_keep_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(2):
        writer = TraceWriter(Path(f"run-rank{number}.gradviz"), ORIGIN)
        writer.put_scope(RecordingScope(rank=Rank(number=number, count=2)))
        writer.close()
    # Only the first two find a file with their own number.
    names = [choose_output(None, "run", Rank(number=each, count=4))[0].name for each in range(4)]
    assert names == [f"run-2-rank{number}.gradviz" for number in range(4)]
    again = choose_output(None, "run", Rank(number=1, count=2))[0]
    assert again.name == "run-3-rank1.gradviz"
