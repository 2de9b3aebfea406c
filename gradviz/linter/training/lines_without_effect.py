"""Lines that do nothing: a method that is not called, a name that torch does not know."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from gradviz.analysis.source_statements import nested_statements
from gradviz.linter.training.schedulers import scheduler_names
from gradviz.linter.training.source_search import last_name, names_in, parsed_files
from gradviz.linter.training.training_run import Problems, TrainingSteps, problem, reported_once
from gradviz.model.finding import Severity

_METHODS = frozenset(("backward", "step", "zero_grad"))
_CLIPPING = frozenset(("clip_grad_norm_", "clip_grad_value_"))
_MISSPELLED = frozenset(("require_grad", "require_grads", "requires_grads"))
_KEY = r"\[['\"]?(\w+)['\"]?\]"
_INFINITE = r"\binf\b"

_NoEffect = tuple[Severity, ast.stmt, str, dict[str, Any]]


def find_lines_without_effect(run: TrainingSteps) -> Problems:
    """Lines of the run's source that change nothing, although they look as if they did."""
    first = run.begins[0].number if run.begins else run.updates[0].number
    for file in parsed_files(run.index):
        for each in nested_statements(file.tree):
            found = _examine(run, each)
            if found is not None:
                severity, line, key, words = found
                place = file.location(line)
                yield problem(f"no_effect.{key}", severity, step=first, location=place, **words)


def _examine(run: TrainingSteps, each: ast.AST) -> _NoEffect | None:
    match each:
        case ast.Expr(value=ast.Attribute(attr=name) as named) if name in _METHODS:
            return "error", each, "not_called", {"name": ast.unparse(named)}
        case ast.Assign(targets=[ast.Attribute(attr=name)]) if name in _MISSPELLED:
            return "warning", each, "misspelled", {"name": name}
        case ast.Assign(targets=[ast.Attribute(value=owner, attr="requires_grad")]):
            return _of_module(run, each, ast.unparse(owner))
        case ast.For(target=ast.Name(id=name), iter=ast.Call(func=called), body=body):
            return _in_loop(last_name(called), name, body)
        case ast.For(target=ast.Tuple(elts=targets), iter=pairs, body=body):
            is_of_models = "parameters(" in ast.unparse(pairs)
            return _renamed([*map(ast.unparse, targets)], body[-1]) if is_of_models else None
        case _:
            return None


def _of_module(run: TrainingSteps, line: ast.Assign, owner: str) -> _NoEffect | None:
    """``model.head.requires_grad = False``, which is an attribute that nothing reads."""
    path = re.sub(_KEY, r".\1", owner)
    # The only model of a run is not in the names of its parameters.
    beginnings = (f"{path}.", f"{path.partition('.')[2]}." if "." in path else f"{path}.")
    if not any(leaf.name.startswith(beginnings) for leaf in run.leaves.values()):
        return None
    value = ast.unparse(line.value)
    return "warning", line, "of_module", {"name": owner, "value": value}


def _in_loop(through: str, name: str, body: list[ast.stmt]) -> _NoEffect | None:
    """``p = p - lr * p.grad`` for each parameter, ``m.requires_grad = False`` for each module."""
    for line in body:
        match line:
            case ast.Assign(targets=[ast.Name(id=each)], value=value) if through == "parameters":
                if each == name and f"{name}.grad" in ast.unparse(value):
                    return "error", line, "rebound", {"name": name}
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id=each), attr="requires_grad")], value=value
            ) if through in ("children", "modules") and each == name:
                words = {"name": name, "value": ast.unparse(value)}
                return "warning", line, "of_module", words
            case _:
                continue
    return None


def _renamed(names: list[str], line: ast.stmt) -> _NoEffect | None:
    """``t = 0.9 * t + 0.1 * p`` for the pairs of two models, as the last line."""
    match line:
        case ast.Assign(targets=[ast.Name(id=each)], value=value):
            is_lost = each in names and each in names_in(value)
            return ("error", line, "rebound", {"name": each}) if is_lost else None
        case _:
            return None


@reported_once
def find_idle_optimizers(run: TrainingSteps) -> Problems:
    """Optimizers whose gradients are cleared in each iteration, but whose step is never called."""
    if run.updates or not run.is_whole or len(run.begins) < 2:
        return
    for file in parsed_files(run.index, "optim", "zero_grad"):
        nodes = list(file.nodes)
        for made, name in _optimizers(nodes):
            uses = [each for each in nodes if _reads(each, name)]
            clears = [
                each
                for each in nodes
                if isinstance(each, ast.Attribute)
                and each.attr == "zero_grad"
                and _reads(each.value, name)
            ]
            # What is passed to a function may be stepped there.
            if clears and len(uses) == len(clears):
                yield problem(
                    "no_effect.never_stepped",
                    "error",
                    step=run.begins[0].number,
                    location=file.location(made),
                    name=name,
                )


def _optimizers(nodes: list[ast.AST]) -> Iterator[tuple[ast.Assign, str]]:
    """The lines such as ``optimizer = torch.optim.SGD(...)``, and their variables."""
    for each in nodes:
        match each:
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(value=owner))
            ) if last_name(owner) == "optim":
                yield each, name
            case _:
                continue


def _reads(tree: ast.AST, name: str) -> bool:
    return isinstance(tree, ast.Name) and tree.id == name and isinstance(tree.ctx, ast.Load)


@reported_once
def find_clipping_without_effect(run: TrainingSteps) -> Problems:
    """Gradients that a loop clips when they have been used, or before they are computed."""
    for file in parsed_files(run.index, "clip_grad_") if run.updates else ():
        schedulers = {*scheduler_names(file.tree)}
        for loop in file.nodes:
            if not isinstance(loop, ast.For | ast.While):
                continue
            calls = [_called(getattr(each, "value", each), schedulers) for each in loop.body]
            order = [(name, each) for name, each in zip(calls, loop.body, strict=True) if name]
            names = [name for name, _ in order]
            # With branches or several steps, the order in a turn is not that of the lines.
            inside = [_called(each, schedulers) for each in ast.walk(loop)]
            if any(inside.count(each) != names.count(each) for each in (*_METHODS, *_CLIPPING)):
                continue
            if sorted({*names} - _CLIPPING) != sorted(_METHODS) or len(names) != len({*names}):
                continue
            for at, (name, line) in enumerate(order):
                before = names[at - 1]
                if name in _CLIPPING and before != "backward":
                    yield problem(
                        f"no_effect.clipped.{before}",
                        "warning",
                        step=run.updates[0].number,
                        location=file.location(line),
                    )


def _called(tree: ast.AST, schedulers: set[str]) -> str:
    """What a call is: a step of the training, clipping, or empty for nothing of these."""
    name = last_name(tree.func) if isinstance(tree, ast.Call) else ""
    match tree:
        case ast.Call(func=ast.Attribute(value=owner, attr="step")):
            path = ast.unparse(owner)
            return "" if path in schedulers or "sched" in path.lower() else name
        case ast.Call(args=given, keywords=named) if name in _CLIPPING:
            limits = [*given[:2], *(each.value for each in named if each.arg != "norm_type")]
            # An infinite limit only measures the norm.
            return "" if any(re.search(_INFINITE, ast.unparse(each)) for each in limits) else name
        case _:
            return name if name in _METHODS else ""
