"""What the graph needs of the whole run is computed in the background."""

from __future__ import annotations

import threading

import pytest

from gradviz.analysis.index.node_times import Times
from tests.viewer.canvas.conftest import GraphDriver
from tests.viewer.traces import linear_reader

MADE = "_all_made"


def test_the_steps_that_made_all_nodes_are_not_looked_up_in_the_gui_thread(
    driver: GraphDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []
    look_up = getattr(Times, MADE)

    def recorded(times: Times) -> object:
        threads.append(threading.current_thread())
        return look_up(times)

    monkeypatch.setattr(Times, MADE, recorded)
    driver.state.show(linear_reader())
    driver.wait()
    assert threads
    assert threading.main_thread() not in threads
