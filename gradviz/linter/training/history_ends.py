"""The line at which the history of a parameter ends, so that backward cannot reach it."""

from __future__ import annotations

import ast

from gradviz.linter.training.source_search import names_computed_at, parsed_sources
from gradviz.linter.training.training_run import CutOff, TrainingSteps


def find_history_end(run: TrainingSteps, memory: int) -> CutOff | None:
    """The first cut of the history of a leaf whose values a pass still has as constants.

    Args:
        run: The run.
        memory: Number of the leaf's storage.
    """
    for cut in run.cuts:
        # Gradients are no values of the parameters that they belong to.
        if cut.kind == "gradient":
            continue
        if memory in cut.leaves or memory in _leaves_below(run, cut):
            is_used = _reaches_root(run, cut) if cut.users is None else _is_used(run, cut.users)
            if is_used:
                return cut
    return None


def _leaves_below(run: TrainingSteps, cut: CutOff) -> set[int | None]:
    """Storages of the leaves that the arguments of a cut were computed from."""
    variables = (each.variable for each in run.leaves_below(cut.nodes))
    return {run.index.tensor.bare(each).storage for each in variables if each is not None}


def _is_used(run: TrainingSteps, users: frozenset[int]) -> bool:
    """Whether a pass runs the node of a step that takes the values."""
    return any(
        step.number in users and step.node is not None and step.node in run.index.visits
        for step in run.forwards
    )


def _reaches_root(run: TrainingSteps, cut: CutOff) -> bool:
    """Whether backward is called on a variable that is computed from a number.

    Where values have left torch, only the source tells; most are printed or logged.
    """
    names = names_computed_at(run.index, cut.location)
    return any(
        isinstance(each, ast.Attribute)
        and each.attr == "backward"
        and isinstance(each.value, ast.Name)
        and each.value.id in names
        for _, tree in parsed_sources(run.index, "backward")
        for each in ast.walk(tree)
    )
