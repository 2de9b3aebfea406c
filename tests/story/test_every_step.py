"""Every step of every scene on the stage, in windows of several shapes: whole and readable."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.analysis.index.trace_index import index_reader
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.gallery.registry import SCENES, scene
from gradviz.model.step import AccumulateStep, NodeStep
from gradviz.store.reader import open_trace
from gradviz.story.frames import Progress, story_frames
from gradviz.story.run import StoryRun
from gradviz.story.step_clicks import step_clicks
from tests.recorder.recorded_run import record_run
from tests.recorder.scene_runs import run_scene
from tests.story.shipped import faults_of

SIZES = {(1280.0, 720.0): (20.0, 12.0), (720.0, 720.0): (7.0, 4.5), (1728.0, 720.0): (20.0, 12.0)}
"""Shapes of a window, and the smallest texts there: of matrices of eight rows, and of graphs."""

PARTS = 6


def faults_of_scene(name: str, folder: Path) -> list[str]:
    folder.mkdir()
    record_run(folder, lambda: run_scene(scene(name)))
    found = []
    with open_trace(folder / "run.gradviz") as reader:
        run = StoryRun(index=index_reader(reader))
        for step in run.index.trace.steps:
            place = TracePosition(step=step.number)
            clicks = step_clicks(run, place, asks=False)
            for size, (least, in_graph) in SIZES.items():
                frames = story_frames(clicks, run, place, Progress(at=0, count=1), size)
                assert len(frames) == len(clicks)
                for number, frame in enumerate(frames):
                    where = f"{name}, step {step.number}, click {number}, {size}"
                    faults = faults_of(frame, (least, in_graph))
                    found += [f"{where}: {each}" for each in faults]
    return found


@pytest.mark.parametrize("name", ["functional-linear", "cube-wrong"])
def test_every_step_can_be_read(name: str, tmp_path: Path) -> None:
    assert faults_of_scene(name, tmp_path / name) == []


def test_a_step_of_a_training_shows_the_nodes_of_its_pass(tmp_path: Path) -> None:
    record_run(tmp_path, lambda: run_scene(scene("my-own-layer")))
    with open_trace(tmp_path / "run.gradviz") as reader:
        run = StoryRun(index=index_reader(reader))
        steps = run.index.trace.steps
        last = [
            each
            for each in steps
            if isinstance(each, (NodeStep, AccumulateStep)) and each.pass_id == 5
        ]
        for step in (*last[-2:], steps[-2]):
            place = TracePosition(step=step.number)
            graph = step_clicks(run, place, asks=False)[0]
            (frame,) = story_frames((graph,), run, place, Progress(at=0, count=1))
            boxes = {
                # Further uses of node 3 are called n3u1, n3u2 and so on.
                each.key.removeprefix("graph:").partition("u")[0]
                for each in frame.drawn
                if each.key.startswith("graph:n")
            }
            assert boxes
            assert boxes <= {f"n{each.node}" for each in last}


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(PARTS))
def test_every_step_of_every_scene_can_be_read(part: int, tmp_path: Path) -> None:
    scenes = SCENES[part::PARTS]
    faults = [fault for each in scenes for fault in faults_of_scene(each.id, tmp_path / each.id)]
    assert not faults, "\n".join(faults)
