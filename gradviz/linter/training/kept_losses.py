"""Lists that keep the losses of all iterations together with their graphs."""

from __future__ import annotations

import ast

from gradviz.linter.training.source_search import Loop, ParsedFile, calls_named, parsed_files
from gradviz.linter.training.training_run import Problems, TrainingSteps, problem, reported_once

_ASSIGNMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign)
_FEWEST = 2


@reported_once
def find_kept_losses(run: TrainingSteps) -> Problems:
    """Losses that a loop appends to a list, although no later pass needs their graphs."""
    for file in parsed_files(run.index, "append") if run.is_whole else ():
        if not any(map(_kept_name, file.calls("append"))):
            continue
        loops = [each for each in file.nodes if isinstance(each, Loop)]
        for loop in loops:
            for call in calls_named(loop, "append"):
                kept = _kept_name(call)
                if kept is None or any(_is_inside(call, each, loop) for each in loops):
                    continue
                place, name = kept
                count = _count(run, file, loop, call, name)
                if count >= _FEWEST and not _is_shortened(file.tree, place):
                    yield problem(
                        "graph_kept.list",
                        "warning",
                        step=run.begins[-1].number,
                        location=file.location(call),
                        count=count,
                        place=place,
                        name=name,
                    )


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


def _count(run: TrainingSteps, file: ParsedFile, loop: Loop, call: ast.Call, name: str) -> int:
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
        lines = range(min(passes), max(passes) + 1)
        return sum(file.is_in(each.location, lines) for each in run.begins)
    made = [each for each in run.forwards if file.is_in(each.location, last)]
    if any(node in run.index.visits for each in made for node in each.nodes):
        return 0
    return sum(run.makes_number(each) for each in made)


def _assigns(tree: ast.Assign | ast.AugAssign | ast.AnnAssign, name: str) -> bool:
    targets = tree.targets if isinstance(tree, ast.Assign) else [tree.target]
    return any(isinstance(each, ast.Name) and each.id == name for each in targets)


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
