"""Terms of a loss that are constants: gradients without a graph, and Python numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.catalogue.messages import say
from gradviz.linter.training.source_search import lines_of, names_computed_at, names_in, parsed_file
from gradviz.linter.training.training_run import (
    CutOff,
    Problems,
    TrainingSteps,
    problem,
    reported_once,
)
from gradviz.model.item import Item
from gradviz.model.step import ForwardStep

_TERMS = frozenset(("add", "sub", "radd", "rsub", "iadd"))
_MOST_READS = 20
"""A loop reads gradients in its first iterations already."""

_LINEAR = frozenset(("mean", "sum", "neg", "div", "truediv", "squeeze"))


@reported_once
def find_constant_gradients(run: TrainingSteps) -> Problems:
    """Terms of a loss that are computed from a gradient without a graph, or taken out of one."""
    losses = {each.number for each in loss_terms(run)}
    for cut in run.cuts:
        is_detached = cut.kind == "call" and _are_gradients(run, cut)
        if not (cut.kind == "gradient" or is_detached) or cut.location is None:
            continue
        for step in run.forwards:
            if step.number not in (cut.users or ()) or step.op not in _TERMS:
                continue
            constants = [
                each for each in step.inputs if each.tensor and not run.requires_grad(each)
            ]
            if len(constants) != 1 or step.node not in run.index.visits:
                continue
            # Other sums, such as an update of weights in meta-learning, are nonlinear in the loss.
            if step.number in losses or (not is_detached and _continues(run, step, cut)):
                yield problem(
                    f"constant_loss_term{'.detached' if is_detached else ''}",
                    "warning" if is_detached else "error",
                    step=step.number,
                    location=cut.location,
                    name=_written(run, step, constants[0], cut) or say("refused.result"),
                    use=step.location,
                )


def _are_gradients(run: TrainingSteps, cut: CutOff) -> bool:
    """Whether all that lost its history had it from passes with ``create_graph``."""
    made = [run.index.node[each].made_by for each in cut.nodes if each in run.index.node]
    return bool(made) and None not in made


def _continues(run: TrainingSteps, step: ForwardStep, cut: CutOff) -> bool:
    """Whether a sum also has what the gradient is a derivative of, as in ``u_t + u * u_x``."""
    passes = [
        each
        for each in run.begins
        if not each.accumulate and each.number < step.number and each.location == cut.location
    ]
    below = run.nodes_below(step.nodes)
    for root in passes[-1].roots if passes else ():
        node = root.node
        while (made := run.forward_of(node)) is not None and made.op in _LINEAR:
            node = next((each.target for each in run.index.leaving.get(node, ())), 0)
        if node in below:
            return True
    return False


def _written(run: TrainingSteps, step: ForwardStep, term: Item, cut: CutOff) -> str:
    """How the source writes a term of a sum, or what makes it a constant; empty if unknown."""
    file = parsed_file(run.index, step.location)
    # The outermost sum comes first.
    sums = [
        each
        for each in (() if file is None else file.nodes)
        if isinstance(each, ast.BinOp | ast.AugAssign)
        and isinstance(each.op, ast.Add | ast.Sub)
        and step.location is not None
        and step.location.line in lines_of(each)
    ]
    if not sums:
        return ""
    parts = [_sides(each) for each in sums]
    if term.name in (ast.unparse(part) for sides in parts for part in sides):
        return term.name
    if not (step.assigned or len(sums) == 1):
        return ""
    part = parts[0][-1 if term is step.inputs[1] else 0]
    found = names_computed_at(run.index, cut.location) & names_in(part)
    return found.pop() if len(found) == 1 else ast.unparse(part)


def _sides(tree: ast.BinOp | ast.AugAssign) -> tuple[ast.expr, ast.expr]:
    if isinstance(tree, ast.AugAssign):
        return tree.target, tree.value
    return tree.left, tree.right


def _named_in(run: TrainingSteps, step: ForwardStep, names: set[str]) -> str:
    """The variable of a term without a name, such as ``10 * penalty``, on the line of its sum."""
    file = parsed_file(run.index, step.location)
    if file is None or step.location is None:
        return ""
    for each in file.nodes:
        if isinstance(each, ast.BinOp | ast.AugAssign) and each.lineno == step.location.line:
            found = sorted(names & names_in(each))
            if found:
                return found[0]
    return ""


@reported_once
def find_grad_read_in_losses(run: TrainingSteps) -> Problems:
    """Losses with the ``.grad`` of a leaf that they are computed from, as in physics losses."""
    reads = [
        (step, item)
        for step in run.forwards
        for item in step.inputs
        if item.tensor is not None and item.name.endswith(".grad")
    ]
    for step, item in reads[:_MOST_READS]:
        for leaf in run.leaves.values():
            before = [each for each in leaf.accumulations if each.number < step.number]
            begin = run.begin_of(before[-1].pass_id) if before else None
            if begin is None or begin.create_graph:
                continue
            if run.storage(before[-1].total) != run.storage(item):
                continue
            # An inner step of meta-learning, in its first order, changes the leaf itself.
            if any(run.storage(each) == run.storage(before[-1].leaf) for each in step.inputs):
                continue
            later = {number for number, node in run.executions if node == step.node}
            if later.isdisjoint(each.pass_id for each in leaf.accumulations):
                continue
            yield problem(
                "constant_loss_term.grad",
                "error",
                step=step.number,
                location=begin.location,
                name=item.name,
                use=step.location,
            )


@reported_once
def find_constant_numbers(run: TrainingSteps) -> Problems:
    """Numbers that ``item()`` has taken out of torch, where a loss has them as terms."""
    for cut in run.cuts:
        # What a pass reaches on another way is meant to be a number here, as a base line is.
        if cut.users is not None or not cut.nodes or cut.nodes & run.index.visits.keys():
            continue
        # A parameter that gets no gradient at all has a finding of its own.
        if not all(map(run.is_reached, run.leaves_below(cut.nodes))):
            continue
        names = names_computed_at(run.index, cut.location)
        for step in loss_terms(run):
            if not any(each.kind == "object" for each in step.inputs) or step.location is None:
                continue
            is_here = cut.location is not None and step.location.line == cut.location.line
            name = _number_at(run, step) if is_here else _named_in(run, step, names)
            if name and cut.location is not None:
                yield problem(
                    "number_in_loss",
                    "warning",
                    step=step.number,
                    location=cut.location,
                    name=name,
                    use=step.location,
                )


def _number_at(run: TrainingSteps, step: ForwardStep) -> str:
    """The call in the line of a step that makes a number, as the source has it."""
    file = parsed_file(run.index, step.location)
    names = () if file is None else ("item", "float")
    calls = (each for name in names if file for each in file.calls(name))
    here = (each for each in calls if step.location and each.lineno == step.location.line)
    return next((ast.unparse(each) for each in here), "")


def loss_terms(run: TrainingSteps) -> Iterator[ForwardStep]:
    """Sums that a loss is, or that are part of its sum."""
    waiting = [root.value.tensor for each in run.begins for root in each.roots]
    seen: set[int] = set()
    while waiting:
        step = run.made_by.get(waiting.pop())
        if step is None or step.number in seen or step.op not in (*_TERMS, *_LINEAR):
            continue
        seen.add(step.number)
        waiting += [each.tensor for each in step.inputs if each.tensor is not None]
        if step.op in _TERMS:
            yield step
