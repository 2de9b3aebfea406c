"""How large gradients are over the depth of a model in one backward pass."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gradviz.analysis.index.step_queries import made_step, step_at
from gradviz.analysis.index.trace_index import PassSpan, TraceIndex
from gradviz.analysis.training.training_curves import measured_statistics
from gradviz.model.step import AccumulateStep


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerFlow:
    """The gradients that a pass adds into the leaves of one layer.

    Attributes:
        name: Path of the module, or name of a leaf outside of modules.
        step: The first step that adds one of them.
        norm: L2 norm of all of them; NaN if one has NaN or Inf, or is unknown.
        zeros: Share of their elements that are zero; NaN if unknown.
        leaves: Number of leaves.
    """

    name: str
    step: int
    norm: float
    zeros: float
    leaves: int


def gradient_flow(index: TraceIndex, span: PassSpan) -> tuple[LayerFlow, ...]:
    """Measure the gradients of a pass by layer, in the order in which forward uses the layers.

    These are the contributions of the pass and of passes inside of it, without what ``.grad`` held
    before. The layers of a reentrant checkpoint, whose forward has no graph, come last.
    """
    depths: dict[str, int] = {}
    steps: dict[str, list[AccumulateStep]] = {}
    for number in range(span.first, span.last + 1):
        step = step_at(index, number)
        if not isinstance(step, AccumulateStep):
            continue
        variable = index.node[step.node].variable_name
        # Inside, the inputs of a checkpoint are leaves, too.
        if step.pass_id != span.pass_id and "." not in variable:
            continue
        name = variable.rpartition(".")[0] or variable or f"#{step.node}"
        made = made_step(index, step.node)
        depths[name] = min(made, depths.get(name, made))
        steps.setdefault(name, []).append(step)
    return tuple(
        [_layer(index, name, steps[name]) for name in sorted(steps, key=lambda each: depths[each])]
    )


def _layer(index: TraceIndex, name: str, steps: list[AccumulateStep]) -> LayerFlow:
    tensors = [step.contribution.tensor for step in steps]
    found = [None if each is None else measured_statistics(index, each) for each in tensors]
    known = [each for each in found if each is not None]
    elements = sum(each.count for each in known)
    # A sum that a pass and one inside of it have added to is not known from its terms.
    leaves = {index.node[step.node].variable_name for step in steps}
    is_known = len(known) == len(found) == len(leaves) and elements > 0
    is_finite = is_known and all(each.all_finite for each in known)
    return LayerFlow(
        name=name,
        step=steps[0].number,
        norm=math.hypot(*(each.norm or 0.0 for each in known)) if is_finite else math.nan,
        zeros=sum(each.zeros for each in known) / elements if is_known else math.nan,
        leaves=len(leaves),
    )
