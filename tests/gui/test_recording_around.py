"""A sampled script is run again to record what led to an iteration."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.model.inputs import Offer
from gradviz.model.settings.recording_scope import SAMPLED_PASSES, PassRange, RecordingScope
from gradviz.store.writer import TraceWriter
from gradviz.viewer.session.script_controller import script_offer
from gradviz.viewer.training.panel import TrainingPanel
from tests.builders import write_records
from tests.gui.conftest import WindowDriver
from tests.training_traces import training_trace


@pytest.mark.quick
def test_the_window_goes_to_the_iteration_of_the_new_run(
    driver: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace, tensors = training_trace([3.0, 2.0, 9.0, 4.0], [[1.0]] * 4)
    offer, session = script_offer(tmp_path / "train.py"), driver.session
    rows = {"sample": ((1, 1), (40, 42)), "again": ((1, 2), (39, 40))}
    for name, kept in rows.items():
        writer = TraceWriter(tmp_path / name, trace.origin)
        write_records(writer, trace, tensors)
        writer.put_scope(RecordingScope(passes=SAMPLED_PASSES, kept=kept, run_passes=60))
        writer.close()
    asked: list[PassRange | None] = []

    def run(offer: Offer, changes: object, passes: PassRange | None) -> None:
        asked.append(passes)
        session.open(tmp_path / "again", offer)

    monkeypatch.setattr(session, "run", run)
    session.open(tmp_path / "sample", offer)
    driver.wait()
    driver.state.iterations.go_to(40)
    # A child that still begins could not be ended at once.
    driver.qtbot.waitUntil(lambda: session.ready is not None)
    driver.window.parts[TrainingPanel].record_around.click()
    driver.wait()
    assert [None if each is None else each.rows for each in asked] == [((1, 20), (30, 42))]
    # It was the second iteration, and is the last one now.
    assert driver.state.iterations.current is driver.state.iterations.all[-1]
