"""Models that go on training in evaluation mode after they have been evaluated."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.training.source_search import Loop, is_called, last_name, parsed_files
from gradviz.linter.training.training_run import Problems, TrainingSteps, problem
from gradviz.model.source import Location
from gradviz.model.step import ForwardStep

_MODES = frozenset(("dropout", "batch_norm"))
_WITHOUT_GRADIENT = frozenset(("no_grad", "inference_mode"))


def find_evaluation_mode(run: TrainingSteps) -> Problems:
    """Passes through dropout and batch norm in evaluation mode, after others in training mode."""
    begins = [each for each in run.begins if each.accumulate] if run.is_whole else []
    trained = _trained(run)
    modes = [each.pass_id in trained for each in begins]
    at = modes.index(False) if False in modes else 0
    # From some iteration on, what was in training mode before never is again.
    if not at or not all(modes[:at]) or any(modes[at:]):
        return
    begin = begins[at]
    evaluated = [*_evaluations(run)]
    if len(evaluated) != 1 or begin.number > run.updates[-1].number:
        return
    model, location = evaluated[0]
    yield problem(
        "evaluation_mode",
        "warning",
        step=begin.number,
        location=location,
        name=model,
        begin=begin.location,
        number=begin.pass_id,
    )


def _trained(run: TrainingSteps) -> set[int]:
    """The passes that go through an op that only training mode has."""
    ops = {each.node for each in run.forwards if each.op in _MODES and _is_in_training(each)}
    return {pass_id for pass_id, node in run.executions if node in ops}


def _is_in_training(step: ForwardStep) -> bool:
    # In evaluation mode, dropout returns its input and is no step.
    return any(each.name == "training" and each.text == "True" for each in step.inputs)


def _evaluations(run: TrainingSteps) -> Iterator[tuple[str, Location]]:
    """Repeated calls of ``eval`` before a block without gradients, if none of ``train`` is."""
    for file in parsed_files(run.index, "eval("):
        repeated = [each for each in file.nodes if isinstance(each, Loop | ast.FunctionDef)]
        inside = {part for each in repeated for part in ast.walk(each)}
        if any(isinstance(each, ast.Attribute) and each.attr == "train" for each in inside):
            continue
        for owner, block in file.blocks():
            for at, line in enumerate(block):
                match line:
                    case ast.Expr(
                        value=ast.Call(func=ast.Attribute(value=model, attr="eval"), args=[])
                    ) if line in inside and _is_without_gradient(owner, block[at + 1 :]):
                        yield ast.unparse(model), file.location(line)
                    case _:
                        continue


def _is_without_gradient(owner: ast.AST, after: list[ast.stmt]) -> bool:
    """Whether what follows is an evaluation: its function or a block before any pass says so."""
    parts: list[ast.expr] = [*owner.decorator_list] if isinstance(owner, ast.FunctionDef) else []
    for each in after:
        if is_called(each, "backward"):
            break
        parts += [item.context_expr for item in each.items] if isinstance(each, ast.With) else []
    return any(
        last_name(each.func if isinstance(each, ast.Call) else each) in _WITHOUT_GRADIENT
        for each in parts
    )
