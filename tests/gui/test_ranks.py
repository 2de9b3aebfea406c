"""The ranks of a distributed program are shown as lanes above the timeline."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt

from gradviz.model.settings.rank import Rank
from gradviz.model.settings.recording_scope import RecordingScope
from gradviz.store.writer import TraceWriter
from gradviz.viewer.timeline.panel import TimelinePanel
from tests.builders import LINEAR_TENSORS, ORIGIN, linear_trace, write_records
from tests.gui.conftest import WindowDriver


def write_rank(path: Path, rank: Rank, steps: int) -> None:
    trace = replace(linear_trace(), steps=linear_trace().steps[:steps])
    writer = TraceWriter(path, ORIGIN)
    write_records(writer, trace, LINEAR_TENSORS)
    writer.put_scope(RecordingScope(rank=rank))
    writer.close()


def test_lanes_lead_from_rank_to_rank(driver: WindowDriver, tmp_path: Path) -> None:
    paths = [tmp_path / f"run-rank{number}.gradviz" for number in range(4)]
    for number, steps in enumerate((8, 5)):
        write_rank(paths[number], Rank(number=number, count=4), steps)
    write_rank(paths[2], Rank(number=2, count=3), 8)
    paths[3].write_text("not a trace")
    window, state, actions = driver.window, driver.state, driver.window.commands
    timeline = window.parts[TimelinePanel]
    driver.session.open(paths[0])
    driver.wait()
    lanes = timeline.lanes
    assert lanes is not None
    assert lanes.isVisible()
    assert lanes.accessibleDescription().split(", ") == [
        "rank 0",
        "rank 1",
        "rank 2 · cannot be shown",
        "rank 3 · cannot be shown",
    ]
    tips = []
    for row in range(4):
        lane = lanes.lane_at(QPoint(10, (2 * row + 1) * lanes.height() // 8))
        assert lane is not None
        tips.append(lanes.tip_of(lane, 10).splitlines())
    assert tips[:3] == [
        ["rank 0"],
        ["rank 1", "Click to show this rank here."],
        ["run-rank2.gradviz was not written by rank 2 of 4."],
    ]
    assert "run-rank3.gradviz" in tips[3][0]
    assert not actions.previous_rank.isEnabled()

    # A click on the second lane, where the timeline has step 4.
    x = round(timeline.bar.x_of(4))
    driver.qtbot.mouseClick(
        lanes, Qt.MouseButton.LeftButton, pos=QPoint(x, 3 * lanes.height() // 8)
    )
    driver.wait()
    assert driver.session.trace_path == paths[1]
    assert (state.number, state.count) == (4, 5)
    # The backward pass of the other rank goes on after this one has ended.
    assert lanes.accessibleDescription().startswith("rank 0, rank 1, ")
    actions.previous_rank.trigger()
    driver.wait()
    assert driver.session.trace_path == paths[0]
    assert state.count == 8

    write_rank(tmp_path / "alone.gradviz", Rank(number=0, count=4), 8)
    driver.session.open(tmp_path / "alone.gradviz")
    driver.wait()
    assert not lanes.isVisible()
    assert not actions.next_rank.isEnabled()
