"""Losses of the wrong inputs or shapes, and sums of losses that keep their graphs."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from gradviz.linter.training.training_run import Problems, TrainingSteps, problem, reported_once
from gradviz.model.item import Item
from gradviz.model.step import ForwardStep
from gradviz.text.phrases import shape_text

_EXPECTS_LOGITS = {
    "cross_entropy": ("softmax",),
    "binary_cross_entropy_with_logits": ("sigmoid", "softmax"),
    "nll_loss": ("softmax",),
}
_ELEMENTWISE_LOSSES = frozenset(("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"))
_ADDITIONS = frozenset(("add", "iadd", "add_", "__iadd__", "radd"))


@reported_once
def find_probabilities_as_logits(run: TrainingSteps) -> Problems:
    """Losses that apply softmax or sigmoid to what already is its result."""
    for step in run.forwards:
        before = run.made_by.get(step.inputs[0].tensor) if step.inputs else None
        if before is not None and before.op in _EXPECTS_LOGITS.get(step.op, ()):
            key = ".nll" if step.op == "nll_loss" else ""
            yield problem(
                f"probabilities_as_logits{key}",
                "warning",
                step=step.number,
                location=before.location,
                loss=step.op,
                op=before.op,
            )


@reported_once
def find_broadcast_losses(run: TrainingSteps) -> Problems:
    """Losses that compare each prediction with each target, because of their shapes."""
    for step in run.forwards:
        if len(step.inputs) < 2 or step.op not in (*_ELEMENTWISE_LOSSES, "sub"):
            continue
        # An empty shape crosses with none.
        first, second = map(run.shape, step.inputs[:2])
        if not _crosses(first, second) or (step.op == "sub" and not _is_comparison(run, step)):
            continue
        yield problem(
            "loss_broadcasts",
            "error",
            step=step.number,
            location=step.location,
            op=step.op,
            first=shape_text(first),
            second=shape_text(second),
        )


def _crosses(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether the shapes are [N, 1] and [N], in either order, with N greater than 1."""
    short, long = sorted((one, other), key=len)
    return len(short) == 1 and len(long) == 2 and short[0] > 1 and long == (short[0], 1)


def _is_comparison(run: TrainingSteps, step: ForwardStep) -> bool:
    """Whether a difference is one of a layer's output and a target, and is squared next.

    Distances of all pairs are computed from one tensor in two shapes.
    """
    sides = step.inputs[:2]
    learned = [each for each in sides if run.requires_grad(each)]
    if len(learned) != 1 or not step.outputs:
        return False
    made = next((each for each in run.forwards if _has(each.outputs, learned[0])), None)
    used = [each for each in run.forwards if _has(each.inputs, step.outputs[0])]
    from_layer = made is not None and made.op in ("linear", "addmm", "matmul", "sigmoid", "tanh")
    return from_layer and any(each.op in ("pow", "square", "abs", "mul") for each in used)


def _has(items: tuple[Item, ...], wanted: Item) -> bool:
    return any(each.tensor == wanted.tensor for each in items)


@reported_once
def find_kept_graphs(run: TrainingSteps) -> Problems:
    """Sums over iterations that keep the graph of each, which no pass runs."""
    sums: defaultdict[tuple[str, int], list[ForwardStep]] = defaultdict(list)
    for step in run.forwards:
        if step.op in _ADDITIONS and step.location is not None and step.node is not None:
            sums[step.location.path, step.location.line].append(step)
    for steps in sums.values():
        if any(step.node in run.index.visits for step in steps):
            continue
        for before, after in pairwise(steps):
            edges = () if after.node is None else run.index.leaving.get(after.node, ())
            continued = any(each.target == before.node for each in edges)
            passes = any(before.number < each.number < after.number for each in run.begins)
            if continued and passes and run.is_whole:
                yield problem(
                    "graph_kept",
                    "warning",
                    step=after.number,
                    location=after.location,
                    count=len(steps),
                )
