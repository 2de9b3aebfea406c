"""Lists that keep the losses of all iterations together with their graphs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.catalogue.messages import say
from gradviz.linter.training.source_search import (
    Loop,
    SourceMatch,
    calls_named,
    is_at,
    lines_of,
    parsed_sources,
)
from gradviz.linter.training.training_run import LearningProblem, TrainingSteps
from gradviz.model.source import SourceFile
from gradviz.model.step import ForwardStep

_ASSIGNMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign)
_FEWEST = 2


def find_kept_losses(run: TrainingSteps) -> Iterator[LearningProblem]:
    """Losses that a loop appends to a list, although no later pass needs their graphs."""
    for source, tree in parsed_sources(run.index, "append") if run.is_whole else ():
        loops = [each for each in ast.walk(tree) if isinstance(each, Loop)]
        for loop in loops:
            for call in calls_named(loop, "append"):
                kept = _kept_name(call)
                if kept is None or any(_is_inside(call, each, loop) for each in loops):
                    continue
                place, name = kept
                count = _count(run, source, loop, call, name)
                if count < _FEWEST or _is_shortened(tree, place):
                    continue
                yield LearningProblem(
                    code="graph_kept",
                    severity="warning",
                    message=say(
                        "finding.graph_kept.list",
                        line=call.lineno,
                        count=count,
                        place=place,
                        name=name,
                    ),
                    step=run.begins[-1].number,
                    location=SourceMatch(tree=call, source=source).location,
                )
                return


def _kept_name(call: ast.Call) -> tuple[str, str] | None:
    """The list and the variable of ``losses.append(loss)``; None for any other call."""
    if not isinstance(call.func, ast.Attribute) or len(call.args) != 1:
        return None
    value = call.args[0]
    return (ast.unparse(call.func.value), value.id) if isinstance(value, ast.Name) else None


def _is_inside(call: ast.Call, inner: Loop, outer: Loop) -> bool:
    """Whether a call is in a loop inside of another."""
    return inner is not outer and _has(outer, inner) and _has(inner, call)


def _has(tree: ast.AST, part: ast.AST) -> bool:
    return any(each is part for each in ast.walk(tree))


def _count(run: TrainingSteps, source: SourceFile, loop: Loop, call: ast.Call, name: str) -> int:
    """How often a loop has kept a graph that a pass has already used, or that none uses."""
    assigned = [
        each for each in ast.walk(loop) if isinstance(each, _ASSIGNMENTS) and _assigns(each, name)
    ]
    before = [each for each in assigned if each.lineno <= call.lineno]
    if not before:
        return 0
    last = max(before, key=lambda each: each.lineno)
    passes = [
        each.lineno
        for each in calls_named(loop, "backward")
        if isinstance(each.func, ast.Attribute) and ast.unparse(each.func.value) == name
    ]
    # A variable that is assigned between the two is another value, as after `detach`.
    if any(
        all(not min(line, call.lineno) < each.lineno <= max(line, call.lineno) for each in assigned)
        for line in passes
    ):
        return sum(
            is_at(source, each.location, range(min(passes), max(passes) + 1)) for each in run.begins
        )
    lines = lines_of(last)
    made = [each for each in run.forwards if is_at(source, each.location, lines)]
    values = [each for each in made if _is_number(run, each)]
    if any(node in run.index.visits for each in made for node in each.nodes):
        return 0
    return len(values)


def _assigns(tree: ast.Assign | ast.AugAssign | ast.AnnAssign, name: str) -> bool:
    targets = tree.targets if isinstance(tree, ast.Assign) else [tree.target]
    return any(isinstance(each, ast.Name) and each.id == name for each in targets)


def _is_number(run: TrainingSteps, step: ForwardStep) -> bool:
    outputs = [each.tensor for each in step.outputs if each.tensor is not None]
    return len(outputs) == 1 and run.index.tensor.bare(outputs[0]).shape == ()


def _is_shortened(tree: ast.AST, place: str) -> bool:
    """Whether a list loses members, or may be something else, as a deque of a length."""
    for each in ast.walk(tree):
        match each:
            case ast.Delete() | ast.AugAssign():
                found = place in ast.unparse(each)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                pairs = zip(targets, values, strict=False)
                found = any(ast.unparse(one) == place and not _is_list(two) for one, two in pairs)
            case ast.Assign(targets=targets, value=value):
                found = place in map(ast.unparse, targets) and not _is_list(value)
            case ast.Attribute(value=value, attr=name):
                found = ast.unparse(value) == place and name not in ("append", "extend")
            case _:
                found = False
        if found:
            return True
    return False


def _is_list(value: ast.expr) -> bool:
    return isinstance(value, ast.List) or ast.unparse(value) == "list()"
