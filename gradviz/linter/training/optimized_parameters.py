"""Parameters with a gradient that no optimizer has, and those of optimizers that get none."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.analysis.source_statements import parse_source
from gradviz.catalogue.messages import say
from gradviz.linter.training.checkpoints import find_cut_checkpoint
from gradviz.linter.training.history_ends import find_history_ends
from gradviz.linter.training.optimizer_calls import optimizer_variable
from gradviz.linter.training.source_search import (
    SourceMatch,
    calls_named,
    is_at,
    last_name,
    lines_of,
    parsed_sources,
    source_at,
)
from gradviz.linter.training.training_run import (
    CutOff,
    Leaf,
    LeafUpdate,
    LearningProblem,
    TrainingSteps,
)
from gradviz.model.graph import ModuleCall
from gradviz.model.source import Location
from gradviz.model.step import ForwardStep
from gradviz.text.punctuation import join_sentences
from gradviz.text.sentences.values import some_of_list

_COPIES = ("deepcopy", "load_state_dict", "from_pretrained")
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
        problem = _unregistered(run, leaf) or _replaced(run, leaf) or _computed(run, leaf)
        if problem is not None:
            yield problem
        elif not _has_changed(run, leaf):
            left.append(leaf)
    if left:
        yield from _left_out(run, left)


def _has_changed(run: TrainingSteps, leaf: Leaf) -> bool:
    """Whether something else updates a leaf, such as the program itself."""
    others = [each for each in run.leaves.values() if each.name == leaf.name]
    values = {None if each.leaf is None else each.leaf.tensor for each in leaf.accumulations}
    # `p.data = ...` gives it another memory.
    return len(others) > 1 or len(values) > 1


def _left_out(run: TrainingSteps, left: list[Leaf]) -> Iterator[LearningProblem]:
    """Leaves that stay as they are, with the line that shows that this is not meant, if any."""
    step = run.updates[-1]
    trained = [each for each in left if _is_trained_with(run, each)]
    own = trained if _are_own(run, left) else []
    late = [each for each in trained if each.accumulations[0].number > run.updates[0].number]
    unfrozen = _unfreezing(run) if late else None
    named = [each for each in left if "." in each.name]
    key, names, location = "", [each.name for each in named], step.location
    if unfrozen is not None:
        key, names, location = ".unfrozen", [each.name for each in late], unfrozen
    elif own:
        key, names = ".own", [each.name for each in own]
        location = _made(run, step.optimizer) or location
    if names:
        yield LearningProblem(
            code="parameter_not_optimized",
            severity="warning" if key else "info",
            message=say(
                f"finding.parameter_not_optimized{key}",
                names=some_of_list(names),
                optimizer=step.optimizer,
                variable=optimizer_variable(run.index, step),
                line=0 if location is None else location.line,
            ),
            step=next(each for each in left if each.name in names).accumulations[0].number,
            location=location,
        )


def _is_trained_with(run: TrainingSteps, leaf: Leaf) -> bool:
    """Whether optimizers update other leaves with passes that have also reached this one."""
    first, last = leaf.accumulations[0].number, leaf.accumulations[-1].number
    return any(first < each.number < last for each in run.updates)


def _are_own(run: TrainingSteps, leaves: list[Leaf]) -> bool:
    """Whether the source makes all leaves itself, as no part of a model that it may freeze."""
    made: set[str] = set()
    for _, tree in parsed_sources(run.index):
        if any(True for name in _COPIES for _ in calls_named(tree, name)):
            return False
        for each in ast.walk(tree):
            if isinstance(each, ast.Assign) and _makes_parameters(each.value):
                made.update(map(last_name, each.targets))
    return all(each.name.rpartition(".")[2].partition("[")[0] in made for each in leaves)


def _makes_parameters(value: ast.expr) -> bool:
    is_held = isinstance(value, _HOLDERS) and any(calls_named(value, "Parameter"))
    return is_held or _is_parameter(value)


def _is_parameter(value: ast.AST) -> bool:
    return isinstance(value, ast.Call) and last_name(value.func) == "Parameter"


def _unfreezing(run: TrainingSteps) -> Location | None:
    """The line that lets frozen parameters get gradients."""
    for source, tree in parsed_sources(run.index, "requires_grad"):
        for each in ast.walk(tree):
            match each:
                case ast.Assign(
                    targets=[ast.Attribute(attr="requires_grad")], value=ast.Constant(value=True)
                ):
                    return SourceMatch(tree=each, source=source).location
                case ast.Call(func=ast.Attribute(attr="requires_grad_"), args=args) if (
                    not args or ast.unparse(args[0]) == "True"
                ):
                    return SourceMatch(tree=each, source=source).location
                case _:
                    continue
    return None


def _made(run: TrainingSteps, optimizer: str) -> Location | None:
    """The line that creates an optimizer of a class."""
    for source, tree in parsed_sources(run.index, optimizer):
        for each in calls_named(tree, optimizer):
            return SourceMatch(tree=each, source=source).location
    return None


def _computed(run: TrainingSteps, leaf: Leaf) -> LearningProblem | None:
    """A parameter of which only a result was kept, as of ``nn.Parameter(values).double()``."""
    use = next(_uses(run, leaf), None)
    source = None if use is None else source_at(run.index, use.location)
    tree = None if source is None else parse_source(source.text)
    if use is None or source is None or tree is None or not _is_trained_with(run, leaf):
        return None
    for each in ast.walk(tree):
        if not isinstance(each, ast.Assign) or not is_at(source, use.location, lines_of(each)):
            continue
        if not _is_parameter(each.value) and any(calls_named(each.value, "Parameter")):
            target = ast.unparse(each.targets[0])
            return LearningProblem(
                code="parameter_not_optimized",
                severity="error",
                message=say(
                    "finding.parameter_not_optimized.computed",
                    line=each.lineno,
                    name=target,
                    op=use.op,
                ),
                step=leaf.accumulations[0].number,
                location=SourceMatch(tree=each, source=source).location,
            )
    return None


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
        # Those of a copy may be assigned.
        if not any(map(run.has_gradient, each.updates))
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
    unchanged = _without_gradient(run) if run.is_whole and run.begins else {}
    if not unchanged:
        return
    found: dict[tuple[CutOff, ...], list[LeafUpdate]] = {}
    steps = {memory: each.step for memory, each in unchanged.items()}
    for memory, cuts in find_history_ends(run, steps):
        if cuts and find_cut_checkpoint(run, cuts[0]) is None:
            found.setdefault(cuts, []).append(unchanged[memory])
    for cuts, updates in found.items():
        cut = cuts[0]
        names = [each.before.name for each in updates]
        if cut.name and all(map(_is_number_of_parameter, names)):
            names = [cut.name]
        ends = say("refused.ends", ends=some_of_list([each.call for each in cuts]))
        said = say(
            "finding.parameter_cut_off",
            names=some_of_list(names),
            optimizer=updates[0].step.optimizer,
        )
        yield LearningProblem(
            code="parameter_cut_off",
            severity="warning",
            message=join_sentences((said, ends, *dict.fromkeys(each.remedy for each in cuts))),
            step=updates[0].step.number,
            node=min(cut.nodes & run.index.node.keys(), default=None),
            location=cut.location,
        )


def _without_gradient(run: TrainingSteps) -> dict[int, LeafUpdate]:
    """What the first step of an optimizer did with leaves that nothing changes, by storage."""
    unchanged: dict[int, LeafUpdate] = {}
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
        unchanged[memory] = first
    return unchanged


def _is_number_of_parameter(name: str) -> bool:
    return name.startswith("parameter ")
