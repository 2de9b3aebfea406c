"""What is on the screen is what a full repaint paints, whatever is done and at any scale."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from gradviz.gallery.registry import scene
from tests.builders import linear_trace, write_trace
from tests.programs import run_program
from tests.recorder.recorded_run import record_run
from tests.recorder.scene_runs import run_scene

STEPPING = ["slow", "fast", "back", "jump", "zoom", "hover"]
OTHERS = ["drag", "pan", "select", "find", "hover_others", "scroll", "draw", "panels", "themes"]
ACTS = [*STEPPING, *OTHERS, "tabs", "compare", "resize"]
OF_A_RUN = [*STEPPING, "hover_others", "scroll", "panels", "tabs"]
"""What shows a run; the other acts look the same whatever it is."""

KINDS = {
    "linear": ("window", "light"),
    "functional-linear": ("stage", "dark"),
    "training": ("stage", "light"),
    "saved-changed": ("window", "dark"),
}
"""A scene of each kind, each in one place and theme; the last one fails."""


def used(traces: list[Path], *, scale: str = "1", **wanted: list[str]) -> dict[str, Any]:
    """What the program found on the platform of the tests."""
    wanted |= {"traces": [str(trace) for trace in traces]}
    done = run_program(
        [sys.executable, "-m", "tests.gui.screen_program", json.dumps(wanted)],
        env=os.environ | {"QT_SCALE_FACTOR": scale},
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def trace_of(kind: str, folder: Path) -> Path:
    """A recorded run of a kind, in a file of its name."""
    record_run(folder, _train if kind == "training" else lambda: run_scene(scene(kind)))
    return (folder / "run.gradviz").rename(folder / f"{kind}.gradviz")


def _train() -> None:
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.ones(2, 3)).square().sum().backward()
        optimizer.step()


@pytest.mark.parametrize(
    ("scale", "place", "theme"), [("1.25", "stage", "dark"), ("1.5", "window", "light")]
)
def test_after_steps_at_a_scale_between(tmp_path: Path, scale: str, place: str, theme: str) -> None:
    trace = write_trace(tmp_path / "linear.gradviz", linear_trace())
    acts = ["slow", "back", "find"]
    found = used([trace], scale=scale, places=[place], themes=[theme], motions=["on"], acts=acts)
    assert found["checked"] > 5
    assert not found["faults"], "\n".join(found["faults"])


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("scale", "place", "theme", "motion"),
    [
        # Between 1 and 2, a pixel of Qt is not one of the screen. Of 1 are the real screens.
        ("1.25", "window", "light", "on"),
        ("1.25", "stage", "dark", "off"),
        ("1.5", "stage", "light", "on"),
        ("2", "window", "dark", "off"),
    ],
)
def test_after_everything_at_any_scale(
    tmp_path: Path, scale: str, place: str, theme: str, motion: str
) -> None:
    trace = write_trace(tmp_path / "linear.gradviz", linear_trace())
    found = used([trace], scale=scale, places=[place], themes=[theme], motions=[motion], acts=ACTS)
    assert found["checked"] > 25
    assert not found["faults"], "\n".join(found["faults"])


@pytest.mark.xcb
@pytest.mark.parametrize(
    ("scale", "place"),
    [pytest.param("1", "window", marks=pytest.mark.quick), ("1.5", "stage")],
)
def test_on_a_real_screen(tmp_path: Path, scale: str, place: str) -> None:
    trace = write_trace(tmp_path / "linear.gradviz", linear_trace())
    found = used(
        [trace],
        scale=scale,
        places=[place],
        themes=["light"],
        motions=["on"],
        acts=["slow", "back", "hover", "themes", "find"],
    )
    assert found["checked"] > 8
    assert not found["faults"], "\n".join(found["faults"])


@pytest.mark.xcb
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_on_a_real_screen(tmp_path: Path, kind: str) -> None:
    trace, (place, theme) = trace_of(kind, tmp_path), KINDS[kind]
    acts = ACTS if kind in ("linear", "functional-linear") else OF_A_RUN
    found = used([trace], places=[place], themes=[theme], motions=["on"], acts=acts)
    assert found["checked"] > 20
    assert not found["faults"], "\n".join(found["faults"])
