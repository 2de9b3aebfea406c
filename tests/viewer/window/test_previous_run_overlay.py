"""The overlay that marks a previous run, and what is shown above it."""

from __future__ import annotations

from PySide6.QtWidgets import QDockWidget, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT
from gradviz.viewer.window.previous_run_overlay import PreviousRunOverlay
from gradviz.viewer.window.side_panels import PanelOverlay


def test_a_panel_over_the_graph_is_not_faded_with_it(qtbot: QtBot) -> None:
    graph, rail = QWidget(), QWidget()
    qtbot.addWidget(graph)
    qtbot.addWidget(rail)
    panel = PanelOverlay(graph, LIGHT, rail)
    dock = QDockWidget()
    dock.setWidget(QLineEdit())
    panel.add(dock)
    mark = PreviousRunOverlay(ViewerState(LIGHT), graph)
    graph.show()
    dock.show()
    mark.say("Previous run")
    assert graph.children().index(mark) < graph.children().index(panel)
