"""Random programs run as they would without a recording, and their traces are valid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.recorder.random_programs import RandomProgram
from tests.recorder.recorded_run import record_run
from tests.sweeps import thinned

LEVELS = ("nodes", "ops", "lines", "all")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", thinned(range(24), 8))
def test_recording_changes_nothing(part: int, tmp_path: Path) -> None:
    for seed in range(10 * part, 10 * (part + 1)):
        program: Any = RandomProgram(seed)
        plain = program()
        folder = tmp_path / str(seed)
        folder.mkdir()
        recording = record_run(folder, program, level=LEVELS[seed % len(LEVELS)])
        assert recording.result == plain, seed
        assert recording.notes == [], seed
