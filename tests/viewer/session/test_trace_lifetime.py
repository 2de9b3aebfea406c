"""Temporary traces of a window are deleted when unused, and not before."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.viewer.session.temporary_traces import TemporaryTraces


@pytest.fixture
def needed() -> list[Path]:
    return []


@pytest.fixture
def files(tmp_path: Path, needed: list[Path]) -> TemporaryTraces:
    folder = tmp_path / "runs"
    folder.mkdir()
    return TemporaryTraces(folder, lambda: needed)


def written(files: TemporaryTraces) -> Path:
    path = files.new_path()
    for each in (path, Path(f"{path}-wal")):
        each.touch()
    return path


def test_each_run_has_a_file_of_its_own(files: TemporaryTraces) -> None:
    paths = {written(files) for _ in range(3)}
    assert len(paths) == 3
    assert all(files.owns(path) for path in paths)


def test_a_trace_is_removed_with_its_logs(files: TemporaryTraces) -> None:
    first, second = written(files), written(files)
    files.drop(first)
    assert sorted(second.parent.iterdir()) == [second, Path(f"{second}-wal")]


def test_what_a_killed_run_leaves_later_is_removed_before_the_next_run(
    files: TemporaryTraces,
) -> None:
    dropped, other = files.new_path(), written(files)
    files.drop(dropped)
    # It was killed while it created its trace.
    for ending in ("", "-shm", ".123.gradviz-new", ".123.gradviz-new-journal"):
        Path(f"{dropped}{ending}").touch()
    Path(f"{other}0").touch()
    files.new_path()
    assert sorted(other.parent.iterdir()) == [other, Path(f"{other}-wal"), Path(f"{other}0")]


def test_what_is_shown_or_held_stays(files: TemporaryTraces, needed: list[Path]) -> None:
    shown, held = written(files), written(files)
    needed.append(shown)
    files.hold(held)
    for path in (shown, held):
        files.drop(path)
        assert path.exists()
    needed.clear()
    files.drop(shown)
    files.release(held)
    assert list(held.parent.iterdir()) == []


def test_a_held_trace_that_is_shown_too_outlives_its_release(
    files: TemporaryTraces, needed: list[Path]
) -> None:
    path = written(files)
    files.hold(path)
    needed.append(path)
    files.release(path)
    assert path.exists()


def test_a_file_of_another_program_is_never_removed(files: TemporaryTraces, tmp_path: Path) -> None:
    theirs = tmp_path / "run-1.gradviz"
    theirs.touch()
    files.drop(theirs)
    files.hold(theirs)
    files.release(theirs)
    assert theirs.exists()
    files.clear()
    assert theirs.exists()
    assert not files.new_path().parent.exists()
