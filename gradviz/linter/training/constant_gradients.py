"""Terms of a loss that are computed from a gradient without a graph, so they are constants."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.analysis.source_statements import parse_source
from gradviz.catalogue.messages import say
from gradviz.linter.training.source_search import names_computed_at, names_in, source_at
from gradviz.linter.training.training_run import LearningProblem, TrainingSteps
from gradviz.model.step import ForwardStep, PassBeginStep

_TERMS = frozenset(("add", "sub", "radd", "rsub", "iadd"))


def find_constant_gradients(run: TrainingSteps) -> Iterator[LearningProblem]:
    """Calls of ``autograd.grad`` without ``create_graph`` whose result is part of a loss."""
    for begin in run.begins:
        if begin.accumulate or begin.create_graph or begin.location is None:
            continue
        names = names_computed_at(run.index, begin.location)
        term = None if not names else _constant_term(run, begin, names)
        if term is None:
            continue
        step, name = term
        yield LearningProblem(
            code="constant_loss_term",
            severity="error",
            message=say(
                "finding.constant_loss_term",
                name=name,
                line=begin.location.line,
                use=0 if step.location is None else step.location.line,
            ),
            step=step.number,
            location=begin.location,
        )
        return


def _constant_term(
    run: TrainingSteps, begin: PassBeginStep, names: set[str]
) -> tuple[ForwardStep, str] | None:
    """The sum with such a variable as a number without a graph, if a pass starts from it."""
    later = next(
        (each for each in run.begins if each.accumulate and each.number > begin.number), None
    )
    if later is None:
        return None
    reached = {node for pass_id, node in run.executions if pass_id == later.pass_id}
    for step in run.forwards:
        if not begin.number < step.number < later.number or step.op not in _TERMS:
            continue
        if step.node not in reached:
            continue
        for item in step.inputs:
            record = None if item.tensor is None else run.index.tensor.bare(item.tensor)
            if record is None or record.requires_grad or record.count != 1:
                continue
            name = item.name if item.name in names else _named_in(run, step, names)
            if name:
                return step, name
    return None


def _named_in(run: TrainingSteps, step: ForwardStep, names: set[str]) -> str:
    """The variable of a term without a name, such as ``10 * penalty``, on the line of its sum."""
    source = source_at(run.index, step.location)
    tree = None if source is None else parse_source(source.text)
    if tree is None or step.location is None:
        return ""
    for each in ast.walk(tree):
        if isinstance(each, ast.BinOp | ast.AugAssign) and each.lineno == step.location.line:
            found = sorted(names & names_in(each))
            if found:
                return found[0]
    return ""
