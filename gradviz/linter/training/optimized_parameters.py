"""Parameters with a gradient that no optimizer has, and those of optimizers that get none."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.catalogue.messages import say
from gradviz.linter.training.checkpoints import find_cut_checkpoint
from gradviz.linter.training.history_ends import find_history_ends
from gradviz.linter.training.optimizer_calls import optimizer_variable
from gradviz.linter.training.source_search import (
    ParsedFile,
    calls_named,
    is_called,
    last_name,
    made_to_require_grad,
    parsed_file,
    parsed_files,
)
from gradviz.linter.training.training_run import (
    CutOff,
    Leaf,
    LeafUpdate,
    LearningProblem,
    Problems,
    TrainingSteps,
    problem,
)
from gradviz.model.graph import ModuleCall
from gradviz.model.source import Location
from gradviz.model.step import ForwardStep
from gradviz.text.sentences.values import some_of_list

_COPIES = ("deepcopy", "load_state_dict", "from_pretrained")
_HOLDERS = (ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Tuple)


def find_forgotten_parameters(run: TrainingSteps) -> Problems:
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
        rules = (rule(run, leaf) for rule in (_unregistered, _replaced, _computed))
        found = next((each for each in rules if each is not None), None)
        if found is not None:
            yield found
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


def _left_out(run: TrainingSteps, left: list[Leaf]) -> Problems:
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
        yield problem(
            f"parameter_not_optimized{key}",
            "warning" if key else "info",
            step=next(each for each in left if each.name in names).accumulations[0].number,
            location=location,
            names=some_of_list(names),
            optimizer=step.optimizer,
            variable=optimizer_variable(run.index, step),
        )


def _is_trained_with(run: TrainingSteps, leaf: Leaf) -> bool:
    """Whether optimizers update other leaves with passes that have also reached this one."""
    first, last = leaf.accumulations[0].number, leaf.accumulations[-1].number
    return any(first < each.number < last for each in run.updates)


def _are_own(run: TrainingSteps, leaves: list[Leaf]) -> bool:
    """Whether the source makes all leaves itself, as no part of a model that it may freeze."""
    made: set[str] = set()
    for file in parsed_files(run.index):
        if is_called(file.tree, *_COPIES):
            return False
        for each in file.nodes:
            if isinstance(each, ast.Assign) and _makes_parameters(each.value):
                made.update(map(last_name, each.targets))
    return all(each.name.rpartition(".")[2].partition("[")[0] in made for each in leaves)


def _makes_parameters(value: ast.expr) -> bool:
    is_held = isinstance(value, _HOLDERS) and is_called(value, "Parameter")
    return is_held or _is_parameter(value)


def _is_parameter(value: ast.AST) -> bool:
    return isinstance(value, ast.Call) and last_name(value.func) == "Parameter"


def _unfreezing(run: TrainingSteps) -> Location | None:
    """The line that lets frozen parameters get gradients."""
    for file in parsed_files(run.index, "requires_grad"):
        for each in file.nodes:
            if isinstance(each, ast.Call | ast.Assign) and made_to_require_grad(each):
                return file.location(each)
    return None


def _made(run: TrainingSteps, optimizer: str) -> Location | None:
    """The line that creates an optimizer of a class."""
    for file in parsed_files(run.index, optimizer):
        for each in file.calls(optimizer):
            return file.location(each)
    return None


def _computed(run: TrainingSteps, leaf: Leaf) -> LearningProblem | None:
    """A parameter of which only a result was kept, as of ``nn.Parameter(values).double()``."""
    use = next(_uses(run, leaf), None)
    file = None if use is None else parsed_file(run.index, use.location)
    if use is None or file is None or not _is_trained_with(run, leaf):
        return None
    for each in file.nodes:
        if not isinstance(each, ast.Assign) or not file.is_in(use.location, each):
            continue
        if not _is_parameter(each.value) and is_called(each.value, "Parameter"):
            return problem(
                "parameter_not_optimized.computed",
                "error",
                step=leaf.accumulations[0].number,
                location=file.location(each),
                name=ast.unparse(each.targets[0]),
                op=use.op,
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
    found = _plain_holder(run, parent.class_name, module.class_name)
    if found is None:
        return None
    file, made = found
    key, attribute, holder = ".in_forward", "", "ModuleList"
    if isinstance(made, ast.Assign):
        key, attribute = "", f"self.{last_name(made.targets[0])}"
        if isinstance(made.value, ast.Dict | ast.DictComp):
            holder = "ModuleDict"
    return problem(
        f"layer_not_registered{key}",
        "error",
        step=forward.number,
        location=file.location(made),
        layer=module.class_name,
        module=parent.class_name,
        attribute=attribute,
        holder=holder,
    )


def _plain_holder(
    run: TrainingSteps, parent: str, layer: str
) -> tuple[ParsedFile, ast.Assign | ast.Call] | None:
    """Where a class assigns a list or dict of layers to an attribute, or makes one in forward."""
    for file in parsed_files(run.index):
        owners = (each for each in file.nodes if isinstance(each, ast.ClassDef))
        parts = (part for each in owners if each.name == parent for part in ast.walk(each))
        for each in parts:
            match each:
                case ast.Assign(targets=[ast.Attribute(), *_], value=value):
                    if isinstance(value, _HOLDERS) and is_called(value, layer):
                        return file, each
                case ast.FunctionDef(name="forward"):
                    for made in calls_named(each, layer):
                        return file, made
                case _:
                    continue
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
    for file in parsed_files(run.index):
        for name in {each.updates[0].step.optimizer for each in stale}:
            built = next(iter(file.calls(name)), None)
            for each in () if built is None else _assignments_after(file, built):
                target = ast.unparse(each.targets[0])
                if built is not None and _is_part(target.split("."), path):
                    key = "" if _is_old(file, built, target) else ".new"
                    return problem(
                        f"layer_replaced{key}",
                        "error",
                        step=leaf.accumulations[0].number,
                        location=file.location(each),
                        layer=target,
                        optimizer=name,
                        built=built.lineno,
                    )
    return None


def _is_old(file: ParsedFile, built: ast.Call, target: str) -> bool:
    """Whether a variable or attribute had a value before a call."""
    return "." in target or any(
        isinstance(each, ast.Assign)
        and each.lineno < built.lineno
        and target in map(ast.unparse, each.targets)
        for each in file.nodes
    )


def _assignments_after(file: ParsedFile, built: ast.Call) -> Iterator[ast.Assign]:
    """Assignments below a call: to variables of the same function, and to attributes of others."""
    functions = file.functions
    around = [each for each in functions if built in ast.walk(each)]
    inner = around[-1] if around else file.tree
    own = {id(each) for each in ast.walk(inner)}
    for function in functions:
        if function is not inner and id(function) in own:
            own -= {id(each) for each in ast.walk(function)}
    for each in file.nodes:
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


def find_parameters_without_gradient(run: TrainingSteps) -> Problems:
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
        yield problem(
            "parameter_cut_off",
            "warning",
            step=updates[0].step.number,
            location=cut.location,
            node=min(cut.nodes & run.index.node.keys(), default=None),
            more=(ends, *dict.fromkeys(each.remedy for each in cuts)),
            names=some_of_list(names),
            optimizer=updates[0].step.optimizer,
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
