"""The window responds within 100 ms, whatever is running."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest

from gradviz.gallery.registry import offer_of, scene
from gradviz.model.check_settings import CheckSettings
from gradviz.viewer.console import ConsolePanel
from gradviz.viewer.session.run_controller import RunController
from tests.builders import linear_trace, write_trace
from tests.drawing.graphs import residual_net, with_backward
from tests.gui.conftest import WindowDriver
from tests.gui.heartbeat import BEAT_MS, Heartbeat

MOST_MS = 100.0
TRIES = 6
"""Another process of this machine may hold up the children and threads, too."""

FLOOD = """
import torch
class Loud(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        for number in range(40_000):
            print("line", number)
        return x * 1
    @staticmethod
    def backward(ctx, g):
        for number in range(5_000):
            print("back", number)
        return g
EXAMPLES = {"Loud": (torch.ones(3, requires_grad=True),)}
"""


def longest_stall(driver: WindowDriver, act: Callable[[], object]) -> float:
    """The shortest of some attempts, each until all its effects are done."""
    found = []
    for _ in range(TRIES):
        with Heartbeat() as heart:
            act()
            driver.wait()
            driver.qtbot.wait(20 * BEAT_MS)
        found.append(heart.longest_ms)
        if found[-1] <= MOST_MS:
            break
    return min(found)


@pytest.fixture
def warm(driver: WindowDriver) -> WindowDriver:
    """A window after first use, with all late imports done."""
    driver.start()
    driver.window.parts[RunController].run_offer(offer_of(scene("functional-linear")))
    driver.wait()
    return driver


def test_a_stall_would_be_seen(driver: WindowDriver) -> None:
    import time

    with Heartbeat() as heart:
        # On a busy machine, a stall may be taken for waiting.
        for _ in range(4):
            driver.qtbot.wait(30)
            time.sleep(0.15)
        driver.qtbot.wait(30)
    assert heart.longest_ms > MOST_MS


def test_while_a_child_runs(warm: WindowDriver) -> None:
    assert longest_stall(warm, warm.window.commands.run.trigger) <= MOST_MS


@pytest.mark.quick
def test_while_another_scene_comes(warm: WindowDriver) -> None:
    offers = cycle([offer_of(scene(name)) for name in ("exp", "linear", "linear-split")])
    assert (
        longest_stall(warm, lambda: warm.window.parts[RunController].run_offer(next(offers)))
        <= MOST_MS
    )


def test_while_prints_flood_in(warm: WindowDriver, tmp_path: Path) -> None:
    path = tmp_path / "loud.py"
    path.write_text(FLOOD)
    assert longest_stall(warm, lambda: warm.window.parts[RunController].open_path(path)) <= MOST_MS
    assert len(warm.window.parts[ConsolePanel].output.run.texts) > 1_000


def test_while_a_check_computes(warm: WindowDriver) -> None:
    warm.window.top.show_tab("jacobians")
    warm.wait()

    def check() -> None:
        warm.session.check(CheckSettings())

    assert longest_stall(warm, check) <= MOST_MS
    index = warm.state.index
    assert index is not None
    assert index.trace.reports


def test_while_a_trace_opens(warm: WindowDriver, tmp_path: Path) -> None:
    path = write_trace(tmp_path / "one.gradviz", linear_trace())
    assert longest_stall(warm, lambda: warm.window.parts[RunController].open_path(path)) <= MOST_MS


def test_while_a_large_trace_opens_and_is_stepped(warm: WindowDriver, tmp_path: Path) -> None:
    trace = with_backward(residual_net(300)).trace
    assert len(trace.nodes) > 2_000
    path = write_trace(tmp_path / "large.gradviz", trace, ())

    def act() -> None:
        warm.window.parts[RunController].open_path(path)
        warm.wait()
        for _ in range(20):
            warm.window.commands.next.trigger()
            warm.qtbot.wait(BEAT_MS)

    assert longest_stall(warm, act) <= MOST_MS
