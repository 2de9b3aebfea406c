"""Gradients that are cleared too early, or not at all, between two steps of an optimizer."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from itertools import islice, pairwise
from math import isfinite
from operator import attrgetter
from typing import Literal

from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_list
from gradviz.linter.training.optimizer_calls import (
    closure_of,
    direct_statements,
    optimizer_variable,
)
from gradviz.linter.training.source_search import (
    Loop,
    ParsedFile,
    below,
    is_called,
    line_between,
    line_text,
    parsed_file,
    parsed_files,
)
from gradviz.linter.training.training_run import (
    Leaf,
    LeafUpdate,
    Problems,
    TrainingSteps,
    problem,
    reported_once,
)
from gradviz.model.source import Location
from gradviz.model.step import AccumulateStep, OptimizerStep, PassBeginStep
from gradviz.text.sentences.values import some_of_list

_MOST_UPDATES = 20
"""A loop makes these mistakes from its first iterations on."""


@reported_once
def find_uncleared_gradients(run: TrainingSteps) -> Problems:
    """Optimizer steps whose gradients all contain those of the step before, or of a closure."""
    for step in (*run.unfinished[:1], *run.updates[:_MOST_UPDATES]):
        yield from _uncleared_closure(run, step)
    for step in run.updates[:_MOST_UPDATES]:
        sides = [_uncleared(run, leaf, step) for leaf in run.updates_with(step)]
        known = [each for each in sides if each is not None]
        if not known or not all(known):
            continue
        earlier = max(each.number for each in known if each is not False)
        added = _passes_to(run, step, earlier)
        begin = _first_since_update(run, added)
        place = step.location if begin is None else begin.location
        lines = sorted({each.location.line for each in added if each.location is not None})
        yield problem(
            "gradients_not_cleared",
            "error",
            step=step.number,
            location=place,
            optimizer=step.optimizer,
            variable=optimizer_variable(run.index, step),
            line=step.location,
            earlier=earlier,
            names=some_of_list([each.name for each in step.before]),
            lines=say_list([say("place.line_4", line=each) for each in lines]),
            begin=place,
        )


def _uncleared(
    run: TrainingSteps, leaf: Leaf, step: OptimizerStep
) -> OptimizerStep | Literal[False] | None:
    """The earlier step whose gradient is still there; False if cleared; None if it has none."""
    used: LeafUpdate | None = None
    kept: OptimizerStep | bool | None = None
    for event in leaf.events:
        if isinstance(event, LeafUpdate):
            if event.step.number == step.number:
                return None if kept is True else kept
            used, kept = (event if event.gradient.kind != "none" else None), None
        elif event.added is False:
            used, kept = None, False
        elif kept is None:
            # `zero_grad(set_to_none=False)` leaves zeros, to which the new gradient is added.
            stale = used is not None and event.added and run.differ(event.total, event.contribution)
            # What was zero is zero afterwards, cleared or not.
            kept = used is not None and run.is_zero(used.gradient)
            kept = used.step if used is not None and stale else kept
    return None


def _passes_to(run: TrainingSteps, step: OptimizerStep, earlier: int) -> list[PassBeginStep]:
    """The passes after another step that add to the gradients of an optimizer step."""
    added = {
        each.pass_id
        for leaf in run.updates_with(step)
        for each in leaf.accumulations
        if earlier < each.number < step.number
    }
    return [each for each in run.begins if each.pass_id in added]


def _first_since_update(run: TrainingSteps, passes: list[PassBeginStep]) -> PassBeginStep | None:
    """The first of some passes without an optimizer step between it and the last one.

    The others belong to what another optimizer trains, such as the generator of a GAN.
    """
    last = passes[-1].number if passes else 0
    update = max((each.number for each in run.updates if each.number < last), default=0)
    return next((each for each in passes if each.number > update), None)


def _uncleared_closure(run: TrainingSteps, step: OptimizerStep) -> Problems:
    """A closure that adds the gradients of each call to those of the calls before."""
    closure, file = closure_of(run.index, step), parsed_file(run.index, step.location)
    if closure is None or file is None or is_called(closure, "zero_grad"):
        return
    line = _line_calling(direct_statements(closure.body), "backward")
    if line is None:
        return
    passes = [each for each in _passes_to(run, step, 0) if file.is_in(each.location, line)]
    if len(passes) < 2:
        return
    leaves, second = run.updates_with(step), passes[1].pass_id
    sums = [each for leaf in leaves for each in leaf.accumulations if each.pass_id == second]
    # `zero_grad(set_to_none=False)` leaves zeros, to which the new gradient is added.
    if all(each.added for each in sums) and any(
        run.differ(each.total, each.contribution) for each in sums
    ):
        yield problem(
            "gradients_not_cleared.closure",
            "error",
            step=passes[1].number,
            location=passes[1].location,
            optimizer=step.optimizer,
            variable=optimizer_variable(run.index, step),
            update=step.location,
            closure=closure.name,
            line=closure.lineno,
            begin=line.lineno,
        )


@reported_once
def find_uncleared_updates(run: TrainingSteps) -> Problems:
    """Lines that update leaves with ``.grad``, to which the next pass adds as it was."""
    for passes in _accumulations(run).values():
        for before, after in pairwise(passes[:_MOST_UPDATES]):
            if not (after.added and _adds_to(run, before, after)):
                continue
            updates = (
                each.location
                for each in run.index.trace.writes
                if before.number <= each.after_step < after.number
                and each.target.tensor == getattr(after.leaf, "tensor", None)
                and ".grad" in line_text(run.index, each.location)
            )
            for update in islice(updates, 1):
                yield problem(
                    "gradients_not_cleared.by_hand",
                    "error",
                    step=after.number,
                    location=update,
                    name=run.index.node[after.node].variable_name or say("refused.result"),
                )


def _accumulations(run: TrainingSteps) -> dict[int | None, list[AccumulateStep]]:
    """The steps that add to the gradients of leaves that no optimizer has, by their memory.

    That of the leaf may be another after ``x.data = ...``.
    """
    found: dict[int | None, list[AccumulateStep]] = {}
    for leaf in run.leaves.values():
        for each in () if leaf.updates else leaf.accumulations:
            found.setdefault(run.storage(each.total), []).append(each)
    return {memory: sorted(each, key=attrgetter("number")) for memory, each in found.items()}


def _adds_to(run: TrainingSteps, before: AccumulateStep, after: AccumulateStep) -> bool:
    """Whether a pass adds to the gradient that an earlier one has left, unchanged and not zero."""
    first, second, total = map(run.array, (before.total, after.contribution, after.total))
    if first is None or second is None or total is None or not first.any():
        return False
    if not isfinite(abs(total).max()):
        return False
    error = abs(first + second - total) if first.shape == total.shape else abs(total)
    return bool(error.max() <= 1e-4 * abs(total).max())


@reported_once
def find_gradients_cleared_early(run: TrainingSteps) -> Problems:
    """Optimizer steps that get nothing of the gradients that passes have computed for them."""
    for step in run.updates[:_MOST_UPDATES]:
        lost = [_lost(run, leaf, step) for leaf in run.updates_with(step)]
        known = [each for each in lost if each is not None]
        passes = [each for each in known if each is not False]
        if len(passes) < len(known):
            # What one step does not get, as in alternating updates, another one may.
            passes = [
                each
                for leaf, each in zip(run.updates_with(step), lost, strict=True)
                if each
                and len(leaf.updates) > 1
                and not any(map(run.has_gradient, leaf.updates))
                and _is_all_lost(run, each.pass_id)
            ]
        if not passes:
            continue
        begin = run.begin_of(passes[-1].pass_id)
        if begin is not None and begin.started_ns > step.started_ns:
            # The optimizer itself has used and cleared what its closure computed.
            continue
        after = None if begin is None else begin.location
        line = line_between(run.index, after, step.location, "zero_grad")
        where = "" if line is None else ".line"
        if _comes_first(run, step.location, after):
            where = ".order"
        yield problem(
            f"gradients_cleared_early{where}",
            "error",
            step=step.number,
            location=line or step.location,
            optimizer=step.optimizer,
            number=run.index.pass_name(passes[-1].pass_id),
            update=step.location,
            begin=after,
        )


def _is_all_lost(run: TrainingSteps, pass_id: int) -> bool:
    """Whether nothing uses any gradient of a pass, because all are cleared after it."""
    return all(
        after.added is False if isinstance(after, AccumulateStep) else not run.has_gradient(after)
        for leaf in run.leaves.values()
        for before, after in pairwise(leaf.events)
        if isinstance(before, AccumulateStep) and before.pass_id == pass_id
    )


def _comes_first(run: TrainingSteps, update: Location | None, begin: Location | None) -> bool:
    """Whether the line of an optimizer step is before that of a pass in the same block."""
    file = parsed_file(run.index, update)
    return file is not None and any(
        any(file.is_in(begin, each) for each in below(block, at))
        for _, block in file.blocks()
        for at, line in enumerate(block)
        if file.is_in(update, line)
    )


def _lost(
    run: TrainingSteps, leaf: Leaf, step: OptimizerStep
) -> AccumulateStep | Literal[False] | None:
    """The step whose gradient was lost; False if it was used; None if there was none."""
    last: AccumulateStep | None = None
    for event in leaf.events:
        if isinstance(event, AccumulateStep):
            last = event
            continue
        if event.step.number == step.number:
            if last is None or run.is_zero(last.total) or not run.is_finite(last.total):
                return None
            return False if run.has_gradient(event) else last
        last = None
    return None


@reported_once
def find_cleared_accumulations(run: TrainingSteps) -> Problems:
    """Loops that clear before each pass, although an optimizer steps only after several."""
    for file in parsed_files(run.index, "zero_grad") if run.updates else ():
        for _, block in file.blocks():
            for at, loop in enumerate(block):
                if isinstance(loop, Loop):
                    yield from _cleared_in(run, file, loop, below(block, at))


def _cleared_in(
    run: TrainingSteps, file: ParsedFile, loop: Loop, after: list[ast.stmt]
) -> Problems:
    lines = list(direct_statements(loop.body))
    clear, begin = (_line_calling(lines, name) for name in ("zero_grad", "backward"))
    # What the loop reads itself need not be added.
    if clear is None or begin is None or ".grad" in ast.unparse(loop):
        return
    places = [each for each in lines if _is_periodic(each)] if is_called(loop, "step") else after
    updates = (u for u in run.updates if any(file.is_in(u.location, each) for each in places))
    for update in islice(updates, 1):
        count = _count_lost(run, file, begin, update)
        if count:
            yield problem(
                "gradients_cleared_early.accumulation",
                "error",
                step=update.number,
                location=file.location(clear),
                optimizer=update.optimizer,
                variable=optimizer_variable(run.index, update),
                update=update.location,
                count=format_count(count + 1),
                begin=begin.lineno,
            )


def _line_calling(lines: Iterable[ast.stmt], name: str) -> ast.stmt | None:
    """The statement that consists of a call of a method; None without one."""
    plain = (each for each in lines if isinstance(each, ast.Expr))
    return next((each for each in plain if is_called(each, name)), None)


def _is_periodic(line: ast.stmt) -> bool:
    """Whether a statement is for every n-th turn only, as with accumulated gradients."""
    return isinstance(line, ast.If) and any(
        word in ast.unparse(line.test).lower() for word in ("%", "accum")
    )


def _count_lost(
    run: TrainingSteps, file: ParsedFile, begin: ast.stmt, update: OptimizerStep
) -> int:
    """How many passes of a line come to nothing before the last one, which a step uses."""
    earlier = max((each.number for each in run.updates if each.number < update.number), default=0)
    passes = [
        each.pass_id
        for each in run.begins
        if earlier < each.number < update.number and file.is_in(each.location, begin)
    ]
    used = [
        each
        for leaf in run.updates_with(update)
        for each in leaf.accumulations
        if passes and each.pass_id == passes[-1]
    ]
    are_kept = any(each.added and run.differ(each.total, each.contribution) for each in used)
    return len(passes) - 1 if used and not are_kept else 0
