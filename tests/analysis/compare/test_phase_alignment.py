"""Steps of runs with the same phases correspond to each other."""

from __future__ import annotations

import numpy as np

from gradviz.analysis.compare.phase_alignment import PhaseAlignment
from gradviz.analysis.index.phases import run_phases

NO_UPDATES = np.zeros(20, dtype=np.bool_)


def phases(*passes: int) -> tuple[object, ...]:
    return run_phases(np.array(passes), NO_UPDATES[: len(passes)])


def test_equal_runs_correspond_step_by_step() -> None:
    run = phases(0, 0, 1, 1, 1, 0, 2, 2)
    alignment = PhaseAlignment(run, run)
    assert [alignment.step_of(number) for number in range(1, 9)] == list(range(1, 9))


def test_phases_of_another_length_correspond_from_their_first_steps() -> None:
    longer = PhaseAlignment(phases(0, 1, 1), phases(0, 0, 1, 1, 1))
    assert [longer.step_of(number) for number in (1, 2, 3)] == [1, 3, 4]
    shorter = PhaseAlignment(phases(0, 0, 1, 1, 1), phases(0, 1, 1))
    assert [shorter.step_of(number) for number in range(1, 6)] == [1, 1, 2, 3, 3]


def test_a_phase_of_one_run_only_has_a_nearest_step() -> None:
    # The other run has ended before its second pass.
    alignment = PhaseAlignment(phases(0, 1, 1, 0, 2, 2), phases(0, 1, 1, 0))
    assert [alignment.step_of(number) for number in (4, 5, 6)] == [4, None, None]
    assert alignment.nearest(6) == 4
    assert PhaseAlignment(phases(0), ()).nearest(1) == 1
