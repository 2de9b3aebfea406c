"""Trials with undefined incoming gradients, which the engine treats as zeros."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torch import Tensor

from gradviz.checks.attempt import told
from gradviz.checks.battery.difference import difference
from gradviz.checks.battery.passes import ALL, Incoming, Pass, Passes
from gradviz.checks.battery.trials import random_gradients, trial, zeros
from gradviz.checks.diagnosis.case import Case
from gradviz.model.diagnosis import Trial

_CODE = "undefined_gradient"


def undefined_trials(case: Case, passes: Passes, positions: Sequence[int]) -> Iterator[Trial]:
    """Try undefined gradients for all outputs at once, then for each of several.

    Args:
        case: What is checked.
        passes: Runs its forward and backward.
        positions: Positions of the differentiable outputs.
    """
    tried = passes.run(zeros, missing=ALL)
    name = "grad_output None" if len(positions) == 1 else "every grad_output None"
    yield _judged(case, name, tried, [None] * len(case.subject.inputs))
    if len(positions) < 2:
        return
    for which, position in enumerate(positions):
        defined = passes.run(_with_zeros(which))
        tried = passes.run(random_gradients, missing=which)
        if defined.error is None:
            name = f"gradient of {case.output_names[position]} None"
            yield _judged(case, name, tried, defined.gradients)


def _with_zeros(which: int) -> Incoming:
    def made(outputs: Sequence[Tensor]) -> list[Tensor]:
        gradients = random_gradients(outputs)
        gradients[which].zero_()
        return gradients

    return made


def _judged(case: Case, name: str, tried: Pass, expected: Sequence[Tensor | None]) -> Trial:
    if tried.error is not None:
        return trial(name, "raises", f"Backward raised {told(tried.error)}", _CODE)
    apart = difference(case.subject.inputs, tried.gradients, expected)
    if apart is not None and apart.matters:
        return trial(name, "fails", f"With None instead of zeros, {apart.text}.")
    return trial(name, "passes", "The gradients match those for zeros.")
