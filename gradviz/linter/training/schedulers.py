"""Learning rates that a scheduler skips, because it steps before the optimizer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from gradviz.catalogue.messages import say
from gradviz.linter.training.source_search import (
    SourceMatch,
    calls_named,
    last_name,
    parsed_sources,
)
from gradviz.linter.training.training_run import LearningProblem, TrainingSteps

_WARNING = re.compile(
    r"^(.+):(\d+):.*\blr_scheduler\.step\b.*\bbefore\b.*\boptimizer\.step\b", re.MULTILINE
)
"""Torch warns at the first step of a scheduler whose optimizer has made none."""


def find_early_schedulers(run: TrainingSteps) -> Iterator[LearningProblem]:
    """Schedulers about which torch warns, unless a scaler has skipped the optimizer's step."""
    printed = "".join(each.text for each in run.index.trace.console if each.stream == "stderr")
    warned = {(PurePath(path).name, int(line)) for path, line in _WARNING.findall(printed)}
    if not (warned and run.updates):
        return
    update = run.updates[0]
    sources = tuple(parsed_sources(run.index))
    if any(True for _, tree in sources for _ in calls_named(tree, "GradScaler")):
        return
    for source, tree in sources:
        for call in calls_named(tree, "step"):
            if (PurePath(source.path).name, call.lineno) not in warned or not last_name(call.func):
                continue
            yield LearningProblem(
                code="scheduler_first",
                severity="warning",
                message=say(
                    "finding.scheduler_first",
                    line=call.lineno,
                    optimizer=update.optimizer,
                    update=0 if update.location is None else update.location.line,
                ),
                step=update.number,
                location=SourceMatch(tree=call, source=source).location,
            )
            return
