"""The lines at which the history of a parameter ends, so that backward cannot reach it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from gradviz.linter.training.source_search import names_computed_at, parsed_files
from gradviz.linter.training.training_run import CutOff, TrainingSteps
from gradviz.model.step import OptimizerStep


def find_history_ends(
    run: TrainingSteps, updates: Mapping[int, OptimizerStep]
) -> Iterator[tuple[int, tuple[CutOff, ...]]]:
    """The cuts of the history of each leaf whose values a pass still has as constants, one a line.

    A cut that only the losses of other optimizers use, such as that of the discriminator of a GAN,
    is left out, unless there is no other.

    Args:
        run: The run.
        updates: The first step of an optimizer that has a leaf, by number of its storage.
    """
    used = [
        (cut, cut.leaves | run.storages_below(cut.nodes), passes)
        for cut in run.cuts
        # Gradients are no values of the parameters that they belong to.
        if cut.kind != "gradient" and (passes := _passes_with(run, cut))
    ]
    for memory, update in updates.items():
        ended = [(cut, passes) for cut, leaves, passes in used if memory in leaves]
        own = _passes_for(run, update)
        found = [cut for cut, passes in ended if passes & own] or [cut for cut, _ in ended]
        by_line = {each.location: each for each in reversed(found)}
        yield memory, tuple(reversed(by_line.values()))


def _passes_with(run: TrainingSteps, cut: CutOff) -> set[int]:
    """The passes that run the node of a step that takes the values; all that may, if unknown."""
    if cut.users is None:
        return {each.pass_id for each in run.begins} if _reaches_root(run, cut) else set()
    nodes = {each.node for each in run.forwards if each.number in cut.users}
    return {number for number, node in run.executions if node in nodes}


def _passes_for(run: TrainingSteps, update: OptimizerStep) -> set[int]:
    """The last pass before a step, and those that no other step lies between.

    Which of them belongs to the step can't be told.
    """
    begins = [each for each in run.begins if each.number < update.number]
    steps = [each.number for each in run.updates if begins and each.number < begins[-1].number]
    return {each.pass_id for each in begins if each.number > max(steps, default=0)}


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
        for file in parsed_files(run.index, "backward")
        for each in file.nodes
    )
