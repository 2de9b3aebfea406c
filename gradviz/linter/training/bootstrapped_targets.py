"""Targets of reinforcement learning through which backward changes what they are computed from."""

from __future__ import annotations

from gradviz.linter.training.training_run import Problems, TrainingSteps, problem, reported_once
from gradviz.model.item import Item
from gradviz.model.step import ForwardStep
from gradviz.text.sentences.values import some_of_list

_COMPARISONS = frozenset(
    ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "sub", "rsub", "sub_")
)
_SUMS = frozenset(("add", "radd"))
_PRODUCTS = frozenset(("mul", "rmul"))
_SHAPES = frozenset(("squeeze", "unsqueeze", "reshape", "view", "flatten", "getitem"))
_BEST = frozenset(("max", "amax"))
_DISCOUNTS = ("gamma", "discount")
_REWARDS = ("reward", "return")


@reported_once
def find_bootstrapped_targets(run: TrainingSteps) -> Problems:
    """Rewards with discounted values of the same parameters, compared with a value of these."""
    for step in run.forwards:
        if step.op not in _COMPARISONS or len(step.inputs) < 2:
            continue
        for target, guess in (step.inputs[:2], step.inputs[1::-1]):
            total = run.made_by.get(target.tensor)
            value = None if total is None else _bootstrapped(run, total)
            if total is None or value is None:
                continue
            learned = _learned(run, value) & _learned(run, guess)
            if not learned or not any(node in run.index.visits for node in total.nodes):
                continue
            yield problem(
                "target_not_detached",
                "warning",
                step=total.number,
                location=total.location,
                node=total.node,
                names=some_of_list(sorted(learned)),
            )


def _bootstrapped(run: TrainingSteps, total: ForwardStep) -> Item | None:
    """The later value in ``reward + gamma * value``; None for other sums."""
    sides = [each for each in total.inputs if each.tensor is not None]
    learned = [each for each in sides if run.requires_grad(each)]
    if total.op not in _SUMS or len(sides) != 2 or len(learned) != 1:
        return None
    given = next(each for each in sides if each is not learned[0])
    signs = [any(each in given.name.lower() for each in _REWARDS)]
    is_discounted = False
    value = learned[0]
    while (step := run.made_by.get(value.tensor)) is not None and step.op in _PRODUCTS | _SHAPES:
        if step.op in _PRODUCTS:
            for factor in step.inputs:
                is_discounted |= factor.kind == "object" and _is_below_one(factor.text)
                signs.append(any(each in factor.name.lower() for each in _DISCOUNTS))
        inner = [each for each in step.inputs if run.requires_grad(each)]
        if len(inner) != 1:
            break
        value = inner[0]
    signs.append(step is not None and step.op in _BEST)
    return value if is_discounted and any(signs) else None


def _is_below_one(text: str) -> bool:
    try:
        return 0 < float(text) < 1
    except ValueError:
        return False


def _learned(run: TrainingSteps, item: Item) -> set[str]:
    """The names of the leaves of optimizers that a tensor was computed from, or is."""
    step = run.made_by.get(item.tensor)
    memories = run.storages_below(() if step is None else step.nodes) | {run.storage(item)}
    known = (run.leaves[each] for each in memories if each in run.leaves)
    return {each.name for each in known if each.updates}
