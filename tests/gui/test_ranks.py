"""The ranks of a distributed program are shown as rows above the timeline."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt

from gradviz.model.settings.rank import Rank
from gradviz.model.settings.recording_scope import RecordingScope
from gradviz.store.writer import TraceWriter
from gradviz.viewer.rows.rows_view import RowsView
from gradviz.viewer.timeline.panel import TimelinePanel
from tests.builders import LINEAR_TENSORS, ORIGIN, linear_trace, write_records
from tests.gui.conftest import WindowDriver


def write_rank(path: Path, rank: Rank, steps: int) -> None:
    trace = replace(linear_trace(), steps=linear_trace().steps[:steps])
    writer = TraceWriter(path, ORIGIN)
    write_records(writer, trace, LINEAR_TENSORS)
    writer.put_scope(RecordingScope(rank=rank))
    writer.close()


def texts(ranks: RowsView) -> list[str]:
    document = ranks.rows.document
    return [" ".join(document.row(key).texts).strip() for key in document.all_keys()]


@pytest.mark.quick
def test_rows_lead_from_rank_to_rank(driver: WindowDriver, tmp_path: Path) -> None:
    paths = [tmp_path / f"run-rank{number}.gradviz" for number in range(4)]
    for number, steps in enumerate((8, 5)):
        write_rank(paths[number], Rank(number=number, count=4), steps)
    write_rank(paths[2], Rank(number=2, count=3), 8)
    paths[3].write_text("not a trace")
    window, state, actions = driver.window, driver.state, driver.window.commands
    timeline = window.parts[TimelinePanel]
    driver.session.open(paths[0])
    driver.wait()
    ranks = timeline.ranks
    assert ranks is not None
    assert ranks.isVisible()
    damaged, other = "cannot be shown", "run-rank2.gradviz was not written by rank 2 of 4."
    assert texts(ranks)[:3] == ["rank 0", "rank 1", f"rank 2 · {damaged} {other}"]
    assert texts(ranks)[3].startswith(f"rank 3 · {damaged} ")
    assert "run-rank3.gradviz" in texts(ranks)[3]
    assert not actions.previous_rank.isEnabled()

    # At what corresponds to step 4.
    state.go_to(4)
    place = ranks.visualRect(ranks.rows.place_of(1)).center()
    driver.qtbot.mouseClick(ranks.viewport(), Qt.MouseButton.LeftButton, pos=place)
    driver.wait()
    assert driver.session.trace_path == paths[1]
    assert (state.number, state.count) == (4, 5)
    # The backward pass of the other rank goes on after this one has ended.
    assert texts(ranks)[:2] == ["rank 0", "rank 1"]
    actions.previous_rank.trigger()
    driver.wait()
    assert driver.session.trace_path == paths[0]
    assert state.count == 8

    write_rank(tmp_path / "alone.gradviz", Rank(number=0, count=4), 8)
    driver.session.open(tmp_path / "alone.gradviz")
    driver.wait()
    assert not ranks.isVisible()
    assert not actions.next_rank.isEnabled()
