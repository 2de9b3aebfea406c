"""A position has the same sentence in every view, on every level."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

from gradviz.analysis.position.trace_position import LEVELS, Level
from gradviz.export.steps.text import steps_text
from gradviz.text.narration import describe_position
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.ops.panel import OpsPanel
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.widgets import screen_reader
from tests.builders import write_trace
from tests.gui.conftest import WindowDriver
from tests.inside_builder import INSIDE_TENSORS, inside_trace


@pytest.fixture
def announcements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    announced: list[str] = []

    class Listener(QAccessible):
        @staticmethod
        def updateAccessibility(event: object) -> None:  # noqa: N802 - Qt's name
            assert isinstance(event, QAccessibleAnnouncementEvent)
            announced.append(event.message())

    monkeypatch.setattr(screen_reader, "QAccessible", Listener)
    return announced


def test_one_sentence_for_each_place(
    driver: WindowDriver, tmp_path: Path, announcements: list[str]
) -> None:
    path = write_trace(tmp_path / "run.gradviz", inside_trace(), INSIDE_TENSORS)
    driver.window.parts[RunController].open_path(path)
    driver.wait()
    least = {"pass": 2, "node": 8, "stage": 10, "line": 20, "op": 25}
    assert least.keys() == set(LEVELS)
    for level in LEVELS:
        assert check_sentences(driver, level, announcements) >= least[level]


def check_sentences(driver: WindowDriver, level: Level, announcements: list[str]) -> int:
    """Walk from the first to the last place of a level; return how many there are."""
    state, window = driver.state, driver.window
    assert state.index is not None
    printed = [" ".join(line.split()) for line in steps_text(state.index, level)]
    state.go_to(1)
    state.set_level(level)
    # Behind another tab, it does not change.
    window.docks["ops"].show()
    window.docks["ops"].raise_()
    seen = 0
    while True:
        announcements.clear()
        driver.wait()
        place = state.place
        assert place is not None
        text = describe_position(state.index, place, level)
        assert window.parts[TimelinePanel].bar.accessibleDescription().endswith(text)
        assert window.parts[Inspector].accessibleDescription().endswith(text)
        assert any(text in line for line in printed), text
        if place.op is not None:
            view = window.parts[OpsPanel].view
            spoken = view.rows.row_at(view.currentIndex()).sentence
            assert spoken == f"Current: {text}"
        seen += 1
        if state.next_target is None:
            return seen
        announcements.clear()
        state.next_step()
        assert state.place is not None
        assert set(announcements) <= {describe_position(state.index, state.place, level)}
