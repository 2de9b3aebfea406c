"""Parameters with a gradient that no optimizer has, and those of optimizers that get none."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.catalogue.messages import say
from gradviz.linter.training.history_ends import find_history_end
from gradviz.linter.training.source_search import (
    SourceMatch,
    calls_named,
    last_name,
    parsed_sources,
)
from gradviz.linter.training.training_run import (
    CutOff,
    Leaf,
    LeafUpdate,
    LearningProblem,
    TrainingSteps,
)
from gradviz.model.graph import ModuleCall
from gradviz.model.step import ForwardStep
from gradviz.text.punctuation import join_sentences
from gradviz.text.sentences.values import some_of_list

_HOLDERS = (ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Tuple)


def find_forgotten_parameters(run: TrainingSteps) -> Iterator[LearningProblem]:
    """Parameters with gradients that no step of an optimizer in the whole run has."""
    if not run.updates or not run.is_whole:
        return
    forgotten = [
        leaf
        for leaf in run.leaves.values()
        if not leaf.updates and any(not run.is_zero(each.total) for each in leaf.accumulations)
    ]
    left = []
    for leaf in forgotten:
        problem = _unregistered(run, leaf) or _replaced(run, leaf)
        if problem is not None:
            yield problem
        elif "." in leaf.name:
            left.append(leaf)
    if left:
        last = run.updates[-1]
        names = some_of_list([each.name for each in left])
        yield LearningProblem(
            code="parameter_not_optimized",
            severity="info",
            message=say("finding.parameter_not_optimized", names=names),
            step=left[0].accumulations[0].number,
            location=last.location,
        )


def _uses(run: TrainingSteps, leaf: Leaf) -> Iterator[ForwardStep]:
    """The calls that take a leaf."""
    memory = {each.leaf.tensor for each in leaf.accumulations if each.leaf is not None}
    for forward in run.forwards:
        if any(item.tensor in memory for item in forward.inputs if item.tensor is not None):
            yield forward


def _module_of(run: TrainingSteps, forward: ForwardStep) -> ModuleCall | None:
    call = None if forward.node is None else run.index.node[forward.node].module_call
    return None if call is None else run.index.module[call]


def _unregistered(run: TrainingSteps, leaf: Leaf) -> LearningProblem | None:
    """A layer that the module which calls it does not know: in a plain list, or made in forward."""
    forward = next(_uses(run, leaf), None)
    module = None if forward is None else _module_of(run, forward)
    if forward is None or module is None or module.parent is None:
        return None
    parent = run.index.module[module.parent]
    # A layer that is part of its caller has a path there; others only have their class.
    if module.path != module.class_name or parent.class_name == module.class_name:
        return None
    match = _plain_holder(run, parent.class_name, module.class_name)
    if match is None:
        return None
    words = {"layer": module.class_name, "module": parent.class_name, "line": match.location.line}
    if isinstance(match.tree, ast.Assign):
        is_dict = isinstance(match.tree.value, ast.Dict | ast.DictComp)
        message = say(
            "finding.layer_not_registered",
            attribute=f"self.{last_name(match.tree.targets[0])}",
            holder="ModuleDict" if is_dict else "ModuleList",
            **words,
        )
    else:
        message = say("finding.layer_not_registered.in_forward", **words)
    return LearningProblem(
        code="layer_not_registered",
        severity="error",
        message=message,
        step=forward.number,
        location=match.location,
    )


def _plain_holder(run: TrainingSteps, parent: str, layer: str) -> SourceMatch | None:
    """Where a class assigns a list or dict of layers to an attribute, or makes one in forward."""
    for source, tree in parsed_sources(run.index):
        for owner in ast.walk(tree):
            if not isinstance(owner, ast.ClassDef) or owner.name != parent:
                continue
            for each in ast.walk(owner):
                if (
                    isinstance(each, ast.Assign)
                    and isinstance(each.targets[0], ast.Attribute)
                    and isinstance(each.value, _HOLDERS)
                    and any(calls_named(each.value, layer))
                ):
                    return SourceMatch(tree=each, source=source)
                if isinstance(each, ast.FunctionDef) and each.name == "forward":
                    made = next(calls_named(each, layer), None)
                    if made is not None:
                        return SourceMatch(tree=made, source=source)
    return None


def _replaced(run: TrainingSteps, leaf: Leaf) -> LearningProblem | None:
    """Parameters that were assigned after the optimizer had taken the old ones."""
    # The old ones stay in the optimizer, get nothing, and have no name any more.
    stale = [
        each
        for each in run.leaves.values()
        if each.updates and not each.accumulations and _is_number_of_parameter(each.name)
    ]
    if not stale:
        return None
    path = leaf.name.split(".")
    for source, tree in parsed_sources(run.index):
        for name in {each.updates[0].step.optimizer for each in stale}:
            built = next(calls_named(tree, name), None)
            for each in () if built is None else _assignments_after(tree, built):
                target = ast.unparse(each.targets[0])
                if built is not None and _is_part(target.split("."), path):
                    key = "" if _is_old(tree, built, target) else ".new"
                    return LearningProblem(
                        code="layer_replaced",
                        severity="error",
                        message=say(
                            f"finding.layer_replaced{key}",
                            layer=target,
                            line=each.lineno,
                            optimizer=name,
                            built=built.lineno,
                        ),
                        step=leaf.accumulations[0].number,
                        location=SourceMatch(tree=each, source=source).location,
                    )
    return None


def _is_old(tree: ast.Module, built: ast.Call, target: str) -> bool:
    """Whether a variable or attribute had a value before a call."""
    return "." in target or any(
        isinstance(each, ast.Assign)
        and each.lineno < built.lineno
        and target in map(ast.unparse, each.targets)
        for each in ast.walk(tree)
    )


def _assignments_after(tree: ast.Module, built: ast.Call) -> Iterator[ast.Assign]:
    """Assignments below a call: to variables of the same function, and to attributes of others."""
    functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    around = [each for each in functions if built in ast.walk(each)]
    inner = around[-1] if around else tree
    own = {id(each) for each in ast.walk(inner)}
    for function in functions:
        if function is not inner and id(function) in own:
            own -= {id(each) for each in ast.walk(function)}
    for each in ast.walk(tree):
        if not isinstance(each, ast.Assign) or each.lineno <= built.lineno:
            continue
        target = each.targets[0]
        if isinstance(target, ast.Attribute):
            if last_name(target.value) != "self":
                yield each
        elif isinstance(target, ast.Name) and id(each) in own:
            yield each


def _is_part(target: list[str], path: list[str]) -> bool:
    """Whether a path begins with a target, or with what comes after its variable."""
    ends = [target[at:] for at in range(len(target))]
    return any(path[: len(each)] == each for each in ends)


def find_parameters_without_gradient(run: TrainingSteps) -> Iterator[LearningProblem]:
    """Parameters of optimizers whose values a loss has only as constants."""
    if not run.is_whole or not run.begins:
        return
    found: dict[CutOff, list[LeafUpdate]] = {}
    for memory, leaf in run.leaves.items():
        first = next(iter(leaf.updates), None)
        if leaf.accumulations or first is None or first.before.tensor is None:
            continue
        if not run.index.tensor.bare(first.before.tensor).requires_grad:
            continue
        if any(each.gradient.kind != "none" for each in leaf.updates):
            continue
        # Something else may update it, such as a moving average.
        if len({each.before.tensor for each in leaf.updates}) > 1:
            continue
        cut = find_history_end(run, memory)
        if cut is not None:
            found.setdefault(cut, []).append(first)
    for cut, updates in found.items():
        names = [each.before.name for each in updates]
        if cut.name and all(map(_is_number_of_parameter, names)):
            names = [cut.name]
        said = say(
            "finding.parameter_cut_off",
            names=some_of_list(names),
            optimizer=updates[0].step.optimizer,
        )
        yield LearningProblem(
            code="parameter_cut_off",
            severity="warning",
            message=join_sentences((said, cut.text)),
            step=updates[0].step.number,
            node=min(cut.nodes & run.index.node.keys(), default=None),
            location=cut.location,
        )


def _is_number_of_parameter(name: str) -> bool:
    return name.startswith("parameter ")
