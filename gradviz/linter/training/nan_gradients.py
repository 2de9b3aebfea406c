"""Gradients with NaN, and the call whose derivative is infinite or undefined at its input."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.analysis.values.non_finite_reach import UNSCALE
from gradviz.analysis.values.non_finite_tensors import NonFiniteTensor, find_non_finite
from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import number_text
from gradviz.linter.training.scaled_gradients import find_scaled_updates
from gradviz.linter.training.training_run import Problems, TrainingSteps, problem, reported_once
from gradviz.model.columns import NANS
from gradviz.model.item import Item
from gradviz.model.source import BACKWARD_FILE, CALL_FILE
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep
from gradviz.text.sentences.values import some_of_list

_SINGULAR: dict[str, tuple[str, tuple[float, ...]]] = {
    "sqrt": ("root", (0.0,)),
    "rsqrt": ("root", (0.0,)),
    "norm": ("norm", (0.0,)),
    "vector_norm": ("norm", (0.0,)),
    "acos": ("arc", (1.0, -1.0)),
    "arccos": ("arc", (1.0, -1.0)),
    "asin": ("arc", (1.0, -1.0)),
    "arcsin": ("arc", (1.0, -1.0)),
    "atanh": ("arc", (1.0, -1.0)),
    "log": ("log", (0.0,)),
    "log2": ("log", (0.0,)),
    "log10": ("log", (0.0,)),
    "log1p": ("log", (-1.0,)),
    "pow": ("log", (0.0,)),
    "reciprocal": ("log", (0.0,)),
    "div": ("division", (0.0,)),
    "truediv": ("division", (0.0,)),
    "linalg_eigh": ("eigenvalues", ()),
    "linalg_eig": ("eigenvalues", ()),
    "linalg_svd": ("singular_values", ()),
    "svd": ("singular_values", ()),
}
"""What to do about a function, and the inputs at which its derivative is infinite."""

_WRITE_INF = frozenset(("masked_fill", "masked_fill_", "where", "setitem", "__setitem__"))
_SOFTMAX = frozenset(("softmax", "log_softmax"))


@reported_once
def find_nan_gradients(run: TrainingSteps) -> Problems:
    """The call that makes the first gradients NaN, if it is one with a known remedy."""
    # A gradient scaler skips steps with such gradients, which its factor may cause.
    if any(each.op == UNSCALE for each in run.index.trace.writes):
        return
    found: dict[int, tuple[NodeStep, ForwardStep, list[str]]] = {}
    firsts = [
        (first, leaf)
        for leaf in run.leaves.values()
        if (first := next((each for each in leaf.accumulations if _has_nan(run, each.total)), None))
    ]
    passes = [run.index.span[first.pass_id].numbers[0] for first, _ in firsts]
    # Later passes spread it to more leaves.
    firsts = [each for each, at in zip(firsts, passes, strict=True) if at == min(passes)]
    for first, leaf in firsts:
        for step in _origins(run, first):
            forward = run.forward_of(step.node)
            if forward is not None and all(run.is_finite(each) for each in forward.inputs):
                found.setdefault(step.node, (step, forward, []))[2].append(leaf.name or "leaf")
    for step, forward, names in sorted(found.values(), key=lambda each: each[0].number):
        kind, singular = _SINGULAR.get(forward.op.removesuffix("_"), ("", ()))
        value = _singular_input(run, forward, kind, singular) if kind else None
        if value is None:
            continue
        yield problem(
            f"nan_gradient.{kind}",
            "error",
            step=step.number,
            location=forward.location,
            node=step.node,
            names=some_of_list(names),
            op=forward.op,
            input=value[0],
            value=value[1],
        )
    roots = (root.value for begin in run.begins if begin.accumulate for root in begin.roots)
    if firsts or any(_has_nan(run, each) for each in roots):
        of = some_of_list([leaf.name or "leaf" for _, leaf in firsts]) if firsts else ""
        made = _made_in_backward(run) if firsts else None
        if made is None:
            yield from _made_in_forward(run, of)
            return
        step, forward = made
        if any(find_scaled_updates(run)):
            return  # What is learned from too large gradients makes larger ones.
        yield problem(
            "nan_gradient.backward",
            "error",
            step=step.number,
            location=forward.location,
            node=step.node,
            names=of,
            op=forward.op,
            number=run.index.pass_name(step.pass_id),
        )


def _has_nan(run: TrainingSteps, item: Item) -> bool:
    return bool(run.not_finite.get(item.tensor or 0, 0) & NANS)


def _origins(run: TrainingSteps, accumulated: AccumulateStep) -> Iterator[NodeStep]:
    """The nodes that get finite gradients and pass on others, on the ways to a leaf.

    This also leads through ``inf * 0`` to the node that has made the Inf.
    """

    def carries(sender: NodeStep, edge: int) -> bool:
        return not all(run.is_finite(each.item) for each in sender.passed if each.edge == edge)

    def has_received(sender: NodeStep) -> bool:
        return not all(map(run.is_finite, sender.incoming))

    return run.origins(accumulated, has_received, carries)


def _singular_input(
    run: TrainingSteps, forward: ForwardStep, kind: str, singular: tuple[float, ...]
) -> tuple[str, str] | None:
    """Name and value of the input at which the derivative is infinite or undefined."""
    at = 1 if kind == "division" else 0
    item = forward.inputs[at] if at < len(forward.inputs) else None
    if item is None:
        return None
    if not singular:
        return (item.name, "0") if _has_equal_values(run, forward) else None
    elements = run.array(item)
    if elements is None:
        return None
    if kind == "norm":
        return (item.name, "0") if not elements.any(axis=-1).all() else None
    for value in singular:
        if (elements == value).any():
            return item.name, number_text(value)
    return None


def _has_equal_values(run: TrainingSteps, forward: ForwardStep) -> bool:
    """Whether two eigenvalues or singular values of a matrix are equal."""
    for item in forward.outputs:
        values = run.array(item)
        # The vectors, which come with them, have one more dimension.
        if values is not None and values.ndim and values.ndim < len(run.shape(forward.inputs[0])):
            between = values[..., :, None] == values[..., None, :]
            return bool((between.sum((-2, -1)) > values.shape[-1]).any())
    return False


def _made_in_backward(run: TrainingSteps) -> tuple[NodeStep, ForwardStep] | None:
    """The first node to pass on Inf or NaN, and its call, if all values of that are finite."""
    bad = [
        each
        for leaf in run.leaves.values()
        for each in leaf.accumulations
        if not run.is_finite(each.contribution)
    ]
    first = min((each.pass_id for each in bad), default=0)
    given = {each.new for each in run.index.trace.changes if each.new is not None}
    found = []
    for each in bad:
        for step in _origins(run, each) if each.pass_id == first else ():
            forward = run.forward_of(step.node)
            if forward is None or not all(map(run.is_finite, (*forward.inputs, *forward.outputs))):
                return None
            if any(each.item.tensor in given for each in step.passed):
                return None  # A What If has replaced what it passes on.
            found.append((step, forward))
    return min(found, key=lambda each: each[0].number, default=None)


def _made_in_forward(run: TrainingSteps, names: str) -> Problems:
    """The call that has the first NaN or Inf of those that get to a gradient or a loss."""
    first = _first_in_forward(run)
    if first is None:
        return
    found, step = first
    given = next((each for each in step.inputs if each.tensor == found.tensor), None)
    cause = say(
        f"finding.nan_in_forward.{_forward_kind(run, step, given)}",
        call=_call_text(step),
        value="NaN" if found.nans else "Inf",
        input=given.name if given else "",
    )
    yield problem(
        f"nan_in_forward.{'gradient' if names else 'loss'}",
        "error",
        step=found.step,
        location=step.location,
        node=step.node,
        more=(cause,),
        names=names,
    )


def _call_text(step: ForwardStep) -> str:
    """What is called, with its line if that is in the user's source."""
    op, location = step.op.removesuffix("_"), step.location
    if location is None or location.path in (CALL_FILE, BACKWARD_FILE):
        return op
    return say("finding.nan_in_forward.call", op=op, line=location.line)


def _first_in_forward(run: TrainingSteps) -> tuple[NonFiniteTensor, ForwardStep] | None:
    steps = run.index.trace.steps
    harmful = [each for each in find_non_finite(run.index) if each.reaches is not None]
    nan = next((each for each in harmful if each.nans), None)
    step = None if nan is None else steps[nan.step - 1]
    if nan is not None and isinstance(step, ForwardStep) and step.op in _SOFTMAX:
        return nan, step
    for each in harmful:
        step = steps[each.step - 1]
        if isinstance(step, ForwardStep) and step.op not in _WRITE_INF:
            return each, step
    return None


def _forward_kind(run: TrainingSteps, step: ForwardStep, given: Item | None) -> str:
    """Why a call has NaN or Inf: ``data``, ``masked_row``, ``overflow`` or ``range``."""
    if given is not None:
        return "data"
    if step.op in _SOFTMAX and not all(map(run.is_finite, step.inputs)):
        return "masked_row"
    made = step.outputs[0].tensor if step.outputs else None
    is_half = made is not None and run.index.tensor.bare(made).dtype == "float16"
    return "overflow" if is_half else "range"
