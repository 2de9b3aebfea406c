"""The page of a graph panel that has no graph yet."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from tests.viewer.canvas.conftest import GraphDriver


def test_a_run_that_is_possible_starts_where_its_graph_would_be(qtbot: QtBot) -> None:
    driver = GraphDriver(qtbot)
    panel, run = driver.panel, driver.actions.run
    qtbot.addWidget(panel)
    run.setEnabled(False)
    panel.show()
    panel.show_activity("idle")
    assert "Choose a scene in the library" in panel.notice.text
    assert not panel.notice.button.isVisible()
    run.setEnabled(True)
    assert panel.notice.button.isVisible()
    with qtbot.waitSignal(run.triggered):
        panel.notice.button.click()
    # As while it runs.
    panel.show_activity("running")
    assert not panel.notice.button.isVisible()
    driver.close()
