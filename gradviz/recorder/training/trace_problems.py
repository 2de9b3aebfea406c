"""Mistakes of a training that its trace shows, found where torch is not imported."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from gradviz.analysis.index.trace_index import index_reader
from gradviz.linter.training.rules import training_problems
from gradviz.linter.training.training_run import CutOff, LearningProblem, MissedGradient
from gradviz.store.reader import open_trace


class TrainingFacts(Struct):
    """What the run knows beside its trace.

    Attributes:
        cuts: Where histories ended, in order of the run.
        missed: Results whose ``.grad`` was read and is None.
    """

    cuts: list[CutOff]
    missed: list[MissedGradient]


def find_training_problems(path: Path, facts: TrainingFacts) -> list[LearningProblem]:
    """The mistakes that a trace shows which is still being written."""
    with open_trace(path, live=True, own=True) as reader:
        return list(training_problems(index_reader(reader), facts.cuts, facts.missed))
