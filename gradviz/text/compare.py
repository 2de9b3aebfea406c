"""Sentences of a comparison of two runs, on the whole and on each value."""

from __future__ import annotations

from gradviz.analysis.compare.item_pairs import ValuePair
from gradviz.analysis.compare.run_comparison import ComparedValue, Mismatch, OpChange, RunComparison
from gradviz.analysis.compare.tensor_difference import TensorDifference
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_count
from gradviz.catalogue.numbers import number_text
from gradviz.model.item import Item, gradient_name
from gradviz.model.step import AccumulateStep, OptimizerStep, Step
from gradviz.text.narration import describe_step
from gradviz.text.phrases import record_shape_text
from gradviz.text.position_names import subject_of_step
from gradviz.text.punctuation import join_sentences, without_full_stop
from gradviz.text.sentences.values import counted_list, leaf_name, short_text
from gradviz.text.titles import origin_title

_ROUNDOFF = {
    "float64": 2.0**-53,
    "float32": 2.0**-24,
    "float16": 2.0**-11,
    "bfloat16": 2.0**-8,
}
"""Largest relative error of rounding to nearest, for numbers in the normal range."""

_MOST_CHANGES = 3
"""Maximum number of different changes of ops that are told; the others are counted."""

_MOST_CHARACTERS = 240
"""Maximum length of a sentence quoted in another, such as one on a long exception."""


def comparison_summary(found: RunComparison) -> str:
    """The result of a comparison in one or two sentences, followed by its notes."""
    whole, changes = _whole(found), _changes(found)
    # What happens first is told first: another op is often why values differ.
    told = [whole, *changes] if _begins_before_changes(found) else [*changes, whole]
    return join_sentences([*_updated(found), *told, *_notes(found)])


def side_title(index: TraceIndex) -> str:
    """Title of the run on one side of a comparison, with its iteration if it is only one."""
    title = origin_title(index.trace.origin)
    if not index.iteration:
        return title
    return say("compare.iteration", title=title, number=format_count(index.iteration))


def _both(found: RunComparison) -> str:
    if not found.left.iteration:
        return say("compare.both.runs")
    return say("compare.both.iterations", **_iterations(found))


def _iterations(found: RunComparison) -> dict[str, object]:
    left, right = found.left.iteration, found.right.iteration
    return {"left": format_count(left), "right": format_count(right)}


def _updated(found: RunComparison) -> list[str]:
    """Which parameter differs most between two iterations: their inputs always differ before."""
    if not found.left.iteration:
        return []
    worst: tuple[float, dict[str, object]] | None = None
    for mismatch in found.mismatches:
        left = mismatch.left
        if left is None or not isinstance(found.left.trace.steps[left - 1], OptimizerStep):
            continue
        for value in found.values(left, mismatch.right):
            largest = value.difference.largest
            is_worse = worst is None or (largest or 0.0) > worst[0]
            if value.pair.role == "output" and largest is not None and is_worse:
                worst = largest, _of_value(found, mismatch, value)
    if worst is None:
        return []
    return [say("compare.updated", **_iterations(found), **worst[1])]


def _begins_before_changes(found: RunComparison) -> bool:
    first = found.first
    if first is None or not found.changes:
        return False
    change = found.changes[0]
    sides = (first.left, change.left), (first.right, change.right)
    return any(one is not None and other and one < other[0] for one, other in sides)


def _changes(found: RunComparison) -> list[str]:
    """Sentences on the ops in which the runs differ; the same change is told once."""
    kinds: dict[tuple[str, str], list[OpChange]] = {}
    for change in found.changes if found.pairs.count else ():
        names = _ops(found.left, change.left), _ops(found.right, change.right)
        kinds.setdefault(names, []).append(change)
    told: list[str] = []
    for (left, right), changes in list(kinds.items())[:_MOST_CHANGES]:
        key = "both" if left and right else "left" if left else "right"
        steps = {
            f"{side}_step": format_count(numbers[0])
            for side, numbers in (("left", changes[0].left), ("right", changes[0].right))
            if numbers
        }
        told.append(say(f"compare.change.{key}", left=left, right=right, **steps))
        if len(changes) > 1:
            told.append(say_count("compare.change.again", len(changes) - 1))
    more = sum(len(changes) for changes in list(kinds.values())[_MOST_CHANGES:])
    return [*told, *([say_count("compare.change.rest", more)] if more else [])]


def replacing_op(found: RunComparison, mismatch: Mismatch) -> str:
    """Says that the right run has another op in a step; empty if it has the same."""
    for change in found.changes:
        if change.is_paired and change.left == (mismatch.left,):
            return say("compare.instead", right=_ops(found.right, change.right))
    return ""


def _ops(index: TraceIndex, steps: tuple[int, ...]) -> str:
    names = [subject_of_step(index, index.trace.steps[number - 1]) for number in steps]
    return counted_list(names) if names else ""


def _whole(found: RunComparison) -> str:
    first, worst, both = found.first, found.rounding, _both(found)
    if first is not None:
        return _differ(found, first)
    if not found.pairs.count:
        return say("compare.nothing")
    if worst is not None:
        return say("compare.rounding", both=both, **_of_value(found, worst))
    if found.mismatches:
        return say("compare.equal.ways", both=both, count=found.pairs.count)
    equal = not found.uncertain and not found.has_other_bits
    key = "compare.equal" if equal else "compare.equal.values"
    return say(key, both=both, count=found.pairs.count)


def _differ(found: RunComparison, first: Mismatch) -> str:
    if first.value is None:
        return _alone(found, first, "alone")
    paired = found.pairs.right_of[: (first.left or 1) - 1].nonzero()[0]
    before = int(paired[-1]) + 1 if len(paired) else 0
    values = _of_value(found, first, found.first_value)
    if not before:
        return say("compare.differ.once", both=_both(found), **values)
    rounded = any(each.left is not None and each.left <= before for each in found.roundings)
    key = "compare.differ.rounding" if rounded else "compare.differ"
    return say(key, both=_both(found), before=before, **values)


def _alone(found: RunComparison, mismatch: Mismatch, group: str) -> str:
    side = "left" if mismatch.left is not None else "right"
    index, number = _own(found, mismatch)
    lines = describe_step(index, index.trace.steps[number - 1]).splitlines()
    what = without_full_stop(short_text(lines[0], _MOST_CHARACTERS))
    return say(f"compare.{group}.{side}", both=_both(found), step=number, what=what)


def _own(found: RunComparison, mismatch: Mismatch) -> tuple[TraceIndex, int]:
    if mismatch.left is not None:
        return found.left, mismatch.left
    assert mismatch.right is not None
    return found.right, mismatch.right


def _of_value(
    found: RunComparison, mismatch: Mismatch, value: ComparedValue | None = None
) -> dict[str, object]:
    """What templates say of a value of a mismatch, by default of the one that differs most."""
    value = value or mismatch.value
    assert value is not None
    index, number = _own(found, mismatch)
    return {
        "name": value_name(index, index.trace.steps[number - 1], value),
        "step": step_numbers(mismatch.left, mismatch.right),
        "how": difference_phrase(found, value),
    }


def step_numbers(left: int | None, right: int | None) -> str:
    """The number of a step, and that of its counterpart if it is different."""
    if left is None or right is None or left == right:
        return say("compare.step.same", left=right if left is None else left)
    return say("compare.step.two", left=left, right=right)


def value_name(index: TraceIndex, step: Step, value: ComparedValue) -> str:
    """The name of a value within a sentence."""
    name, role = value.pair.name, value.pair.role
    if isinstance(step, AccumulateStep):
        key = "grad" if role == "total" else "contribution"
        return say(f"compare.value.{key}", leaf=leaf_name(index.node[step.node]))
    if isinstance(step, OptimizerStep) and role in ("input", "gradient"):
        key = "before" if role == "input" else "grad"
        return say(f"compare.value.{key}", leaf=name)
    key = f".{role}" if role in ("saved", "raised", "returned", "passed") else ""
    target = value.pair.target or name
    return say(f"compare.value{key}", name=target if role == "passed" else name)


def short_value_name(pair: ValuePair) -> str:
    """The name of a value in a list, such as ``grad_weight``, or ``weight.grad`` for a total."""
    match pair.role:
        case "returned" | "passed":
            return gradient_name(pair.name)
        case "contribution" if pair.target:
            return gradient_name(pair.target)
        case "total" if pair.target:
            return f"{pair.target}.grad"
    return pair.name


def mismatch_lines(found: RunComparison, most: int) -> list[str]:
    """One line for each of the first mismatches: the step, and its largest difference."""
    return [mismatch_line(found, mismatch) for mismatch in found.mismatches[:most]]


def mismatch_sentence(found: RunComparison, mismatch: Mismatch) -> str:
    """The step of a mismatch, and its largest difference or which run has it, as a sentence."""
    if mismatch.value is None:
        return _alone(found, mismatch, "missing")
    return say("compare.difference", **_of_value(found, mismatch))


def mismatch_line(found: RunComparison, mismatch: Mismatch) -> str:
    """The step of a mismatch, and its largest difference or which run has it."""
    if mismatch.value is not None:
        return say("compare.place", **_of_value(found, mismatch))
    index, number = _own(found, mismatch)
    side = "left" if mismatch.left is not None else "right"
    what = subject_of_step(index, index.trace.steps[number - 1])
    if not what:
        return say(f"compare.place.{side}", step=number)
    return say(f"compare.place.{side}.of", step=number, what=what)


def _notes(found: RunComparison) -> list[str]:
    notes: list[str] = []
    sides = (("left", found.pairs.only_left), ("right", found.pairs.only_right))
    for side, numbers in sides:
        if numbers:
            one = ".one" if len(numbers) == 1 else ""
            notes.append(say(f"compare.only.{side}{one}", count=len(numbers)))
    for left, right in found.dtypes:
        coarser = max((left, right), key=lambda dtype: _ROUNDOFF.get(dtype, 0.0))
        if coarser in _ROUNDOFF:
            roundoff = f"{_ROUNDOFF[coarser]:.1g}"
            notes.append(
                say("compare.dtypes", left=left, right=right, coarser=coarser, roundoff=roundoff)
            )
    if found.uncertain:
        notes.append(say("compare.uncertain"))
    return notes


def difference_phrase(found: RunComparison, value: ComparedValue) -> str:
    """A difference within a sentence, such as ``by up to 1 at [1, 0]``."""
    text = _difference_text(found, value, value.difference)
    return text if value.difference.whole else say("compare.kept", text=text)


def verdict_text(found: RunComparison, value: ComparedValue) -> str:
    """The result of comparing one value, as text on its own."""
    difference = value.difference
    match difference.verdict:
        case "equal":
            text = say("compare.equal.bits")
        case "same_value":
            text = _same(found, value)
        case "unknown":
            return say("compare.unknown")
        case "rounding":
            text = say("compare.apart.rounding", how=_difference_text(found, value, difference))
        case "differs" if difference.largest is not None:
            text = say("compare.apart", how=_difference_text(found, value, difference))
        case _:
            text = _difference_text(found, value, difference)
    return text if difference.whole else say("compare.kept", text=text)


def _same(found: RunComparison, value: ComparedValue) -> str:
    dtypes = _dtype(found.left, value.pair.left), _dtype(found.right, value.pair.right)
    if dtypes[0] == dtypes[1]:
        return say("compare.same_value")
    return say("compare.same_value.dtype", left=dtypes[0], right=dtypes[1])


def _dtype(index: TraceIndex, item: Item | None) -> str:
    return "" if item is None or item.tensor is None else index.tensor.bare(item.tensor).dtype


def _difference_text(
    found: RunComparison, value: ComparedValue, difference: TensorDifference
) -> str:
    match difference.verdict:
        case "only_left" | "only_right":
            return say(f"compare.{difference.verdict}")
        case "shapes" | "kinds":
            sides = (found.left, value.pair.left), (found.right, value.pair.right)
            left, right = [
                _value_text(*side, shape=difference.verdict == "shapes") for side in sides
            ]
            return say(f"compare.{difference.verdict}", left=left, right=right)
    if difference.largest is None:
        if not difference.count:
            return say("compare.apart.statistics")
        return say("compare.elements", differing=difference.differing, count=difference.count)
    where = ", ".join(map(str, difference.where or ()))
    one = "" if where else ".one"
    if difference.largest == float("inf"):
        return say(f"compare.finite{one}", where=where)
    return say(f"compare.by{one}", size=number_text(difference.largest), where=where)


def _value_text(index: TraceIndex, item: Item | None, *, shape: bool) -> str:
    if item is None or item.kind == "none":
        return say("compare.none")
    if item.tensor is None:
        return short_text(item.text)
    return record_shape_text(index.tensor.bare(item.tensor)) if shape else say("compare.tensor")
