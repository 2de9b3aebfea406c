"""Gradients that are clipped or used while the factor of a scaled loss is still in them."""

from __future__ import annotations

import ast
import math
from itertools import pairwise

from gradviz.analysis.values.non_finite_reach import UNSCALE
from gradviz.catalogue.numbers import number_text
from gradviz.linter.training.source_search import is_called, line_text, names_in, parsed_file
from gradviz.linter.training.training_run import (
    LeafUpdate,
    Problems,
    TrainingSteps,
    problem,
    reported_once,
)
from gradviz.model.finding import Severity
from gradviz.model.in_place_write import InPlaceWrite
from gradviz.model.item import Item
from gradviz.model.source import Location
from gradviz.model.step import AccumulateStep, ForwardStep, OptimizerStep, PassBeginStep

_CLIPS = frozenset(
    ("_foreach_mul_", "mul_", "clamp_", "_foreach_clamp_min_", "_foreach_clamp_max_")
)
_PRODUCTS = frozenset(("mul", "rmul"))
_MOST_PASSES = 20
_SMALLEST = 128
"""Smaller factors are weights of losses."""


@reported_once
def find_scaled_clipping(run: TrainingSteps) -> Problems:
    """Calls that clip gradients before ``GradScaler`` has divided them by its factor."""
    clipped: dict[int, InPlaceWrite] = {}
    for write in run.index.trace.writes:
        memory = run.storage(write.target)
        if memory is None:
            continue
        if write.op in _CLIPS and "clip_grad" in line_text(run.index, write.location):
            clipped[memory] = write
        elif write.op == UNSCALE and memory in clipped:
            earlier = clipped[memory]
            if earlier.after_step != write.after_step:
                clipped.pop(memory)
                continue
            yield problem(
                "scaled_gradients_clipped",
                "error",
                step=max(1, earlier.after_step),
                location=earlier.location,
            )
    yield from _clipped_before_division(run)


def _clipped_before_division(run: TrainingSteps) -> Problems:
    """Calls that clip the gradients of a multiplied loss, which the program divides afterwards."""
    for begin in run.begins[:_MOST_PASSES]:
        product = _product(run, begin)
        factor = 0.0 if product is None else _factor(run, product)
        step = run.update_after(begin)
        if step is None or factor < _SMALLEST:
            continue
        clips = [
            each
            for each in run.index.trace.writes
            if begin.number <= each.after_step < step.number
            and each.op in _CLIPS
            and _clips_to_number(run, each.location)
        ]
        pairs = [(clip, gradient) for clip in clips for gradient in step.gradients]
        if any(_is_quotient(run, clip.target, gradient, factor) for clip, gradient in pairs):
            yield problem(
                "scaled_gradients_clipped.by_hand",
                "error",
                step=step.number,
                location=clips[0].location,
                factor=number_text(factor),
                begin=begin.location,
            )


def _clips_to_number(run: TrainingSteps, location: Location | None) -> bool:
    """Whether a line clips to a limit that does not contain the factor itself."""
    file = parsed_file(run.index, location)
    if file is None:
        return False
    calls = [
        each
        for name in ("clip_grad_norm_", "clip_grad_value_")
        for each in file.calls(name)
        if file.is_in(location, each)
    ]
    limits = [
        *(each for call in calls for each in call.args[1:]),
        *(each.value for call in calls for each in call.keywords),
    ]
    names = {name for each in limits for name in names_in(each)}
    computed = [
        each.value
        for each in file.nodes
        if isinstance(each, ast.Assign) and names & names_in(each.targets[0])
    ]
    parts = (part for each in (*limits, *computed) for part in ast.walk(each))
    return bool(calls) and not any(isinstance(each, ast.BinOp) for each in parts)


def _is_quotient(run: TrainingSteps, clipped: Item, used: Item, factor: float) -> bool:
    """Whether a gradient that an optimizer uses is one that was clipped, divided by a factor."""
    before, after = map(run.array, (clipped, used))
    if before is None or after is None or before.shape != after.shape or not before.any():
        return False
    return bool((abs(before - factor * after) <= 1e-4 * abs(before).max()).all())


@reported_once
def find_scaled_updates(run: TrainingSteps) -> Problems:
    """Steps of optimizers that use the gradients of a multiplied loss as they are."""
    for begin in run.begins[:_MOST_PASSES]:
        product = _product(run, begin)
        scale = None if product is None else _scale(run, product)
        if scale is None:
            continue
        step = run.update_after(begin)
        if step is None or not _is_as_computed(run, step, begin.pass_id):
            continue
        severity, factor = scale
        yield problem(
            f"gradients_still_scaled{'.scaler' if severity == 'error' else ''}",
            severity,
            step=step.number,
            location=step.location,
            optimizer=step.optimizer,
            factor=number_text(factor),
            line=begin.location,
        )


def _product(run: TrainingSteps, begin: PassBeginStep) -> ForwardStep | None:
    """The product at which a pass starts; None if it starts at anything else."""
    made = run.made_by.get(begin.roots[0].value.tensor) if len(begin.roots) == 1 else None
    is_product = made is not None and made.op in _PRODUCTS and len(made.inputs) > 1
    return made if is_product else None


def _factor(run: TrainingSteps, product: ForwardStep) -> float:
    """The number by which a product multiplies; 1 if that is no number."""
    given = product.inputs[1]
    if given.tensor is not None:
        value = run.index.value(given.tensor)
        number = value.array().item() if value is not None and value.shape == () else 1.0
        return 1.0 if isinstance(number, complex) else float(number)
    try:
        return float(given.text)
    except ValueError:
        return 1.0


def _scale(run: TrainingSteps, product: ForwardStep) -> tuple[Severity, float] | None:
    """The factor in the gradients of a product, and how sure it is that it has to go again."""
    given, factor = product.inputs[1], _factor(run, product)
    if given.tensor is not None:
        is_scaler = factor != 1 and _has_call(run, product.location, "scale")
        return ("error", factor) if is_scaler else None
    # Other factors are weights of losses.
    if factor < _SMALLEST or not factor.is_integer() or math.frexp(factor)[0] != 0.5:
        return None
    is_meant = "scale" in given.name.lower() or _has_half(run)
    return "warning" if is_meant else "info", factor


def _has_call(run: TrainingSteps, location: Location | None, name: str) -> bool:
    file = parsed_file(run.index, location)
    if file is None or not is_called(file.tree, "GradScaler"):
        return False
    return any(file.is_in(location, each) for each in file.calls(name))


def _has_half(run: TrainingSteps) -> bool:
    """Whether an op of the run takes float16, whose small gradients a scaled loss saves."""
    return any(
        item.tensor is not None and run.index.tensor.bare(item.tensor).dtype == "float16"
        for step in run.forwards
        for item in step.inputs
    )


def _is_as_computed(run: TrainingSteps, step: OptimizerStep, pass_id: int) -> bool:
    """Whether all gradients that an optimizer uses are those that a pass has computed."""
    # Fused optimizers divide by the factor themselves.
    if any(each.name == "fused" and each.text == "True" for each in step.settings):
        return False
    used = []
    for leaf in run.updates_with(step):
        for before, event in pairwise(leaf.events):
            if isinstance(event, LeafUpdate) and event.step.number == step.number:
                used.append(
                    isinstance(before, AccumulateStep)
                    and before.pass_id == pass_id
                    and before.total.tensor == event.gradient.tensor
                    and not run.differ(before.total, before.contribution)
                )
    return bool(used) and all(used)
