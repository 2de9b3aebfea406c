"""The lines of a trace are those that a plain ``sys.settrace`` sees."""

from __future__ import annotations

import importlib
import warnings
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.recorder.line_programs import LINE_PROGRAMS
from tests.recorder.lines_oracle import Oracle, recorded
from tests.recorder.recorded_run import record_run
from tests.recorder.scene_runs import WITH_FUNCTION, run_scene
from tests.recorder.unusual_programs import ALL_PROGRAMS
from tests.sweeps import scene_of_each_kind, thinned


@pytest.mark.parametrize("name", thinned(ALL_PROGRAMS))
def test_the_lines_of_programs(name: str, tmp_path: Path) -> None:
    oracle = Oracle()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(3)
        oracle.run(ALL_PROGRAMS[name])
        torch.manual_seed(3)
        recording = record_run(tmp_path, ALL_PROGRAMS[name], level="all")
    lines, seen = recorded(recording), oracle.calls
    if name == "functorch":
        # Calls of one step through several levels are one stage.
        lines, seen = [list(chain(*lines))], [list(chain(*seen))]
    if name == "subclass":
        # The call of ``backward`` is not looked into: its pass has steps of its own.
        del seen[3]
    if name == "python_threads":
        lines, seen = sorted(lines), sorted(seen)
    assert lines == seen


@pytest.mark.parametrize("scene", scene_of_each_kind(WITH_FUNCTION))
def test_the_lines_of_scenes(scene: Any, tmp_path: Path) -> None:
    importlib.import_module(scene.module)
    oracle = Oracle()
    oracle.run(lambda: run_scene(scene))
    recording = record_run(tmp_path, lambda: run_scene(scene), level="all")
    assert recorded(recording) == oracle.calls
    assert oracle.calls


@pytest.mark.parametrize("name", LINE_PROGRAMS)
def test_the_lines_of_what_is_hard_to_follow(name: str, tmp_path: Path) -> None:
    oracle = Oracle()
    oracle.run(LINE_PROGRAMS[name])
    recording = record_run(tmp_path, LINE_PROGRAMS[name], level="all")
    assert recorded(recording) == oracle.calls
