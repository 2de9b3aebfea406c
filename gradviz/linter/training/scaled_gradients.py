"""Gradients that are clipped while a gradient scaler's factor is still in them."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.analysis.values.non_finite_reach import UNSCALE
from gradviz.catalogue.messages import say
from gradviz.linter.training.source_search import source_at
from gradviz.linter.training.training_run import LearningProblem, TrainingSteps
from gradviz.model.in_place_write import InPlaceWrite
from gradviz.model.source import source_lines

_CLIPS = frozenset(
    ("_foreach_mul_", "mul_", "clamp_", "_foreach_clamp_min_", "_foreach_clamp_max_")
)


def find_scaled_clipping(run: TrainingSteps) -> Iterator[LearningProblem]:
    """Calls that clip gradients before ``GradScaler`` has divided them by its factor."""
    clipped: dict[int, InPlaceWrite] = {}
    for write in run.index.trace.writes:
        tensor = write.target.tensor
        memory = None if tensor is None else run.index.tensor.bare(tensor).storage
        if memory is None:
            continue
        if write.op in _CLIPS and _is_clip(run, write):
            clipped[memory] = write
        elif write.op == UNSCALE and memory in clipped:
            earlier = clipped[memory]
            if earlier.after_step != write.after_step:
                clipped.pop(memory)
                continue
            line = 0 if earlier.location is None else earlier.location.line
            yield LearningProblem(
                code="scaled_gradients_clipped",
                severity="error",
                message=say("finding.scaled_gradients_clipped", line=line),
                step=max(1, earlier.after_step),
                location=earlier.location,
            )
            return


def _is_clip(run: TrainingSteps, write: InPlaceWrite) -> bool:
    source = source_at(run.index, write.location)
    if source is None or write.location is None:
        return False
    lines = source_lines(source.text)
    line = write.location.line
    return line <= len(lines) and "clip_grad" in lines[line - 1]
