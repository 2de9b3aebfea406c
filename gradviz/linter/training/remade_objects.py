"""Models and optimizers that are made for a single step, so that nothing comes of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.training.source_search import (
    ParsedFile,
    is_called,
    last_name,
    names_in,
    parsed_files,
)
from gradviz.linter.training.training_run import Problems, TrainingSteps, problem, reported_once
from gradviz.model.step import OptimizerStep

_Turn = ast.For | ast.While | ast.FunctionDef
_RESTORING = ("load_state_dict", "deepcopy")
_PARAMETERS = frozenset(("parameters", "named_parameters"))


@reported_once
def find_remade_objects(run: TrainingSteps) -> Problems:
    """Loops and functions that make a model, or its optimizer, for one step of it."""
    if not run.is_whole or len(run.updates) < 2:
        return
    for file in parsed_files(run.index, "step"):
        for turn, block in file.blocks():
            if isinstance(turn, _Turn) and block is turn.body and not is_called(turn, *_RESTORING):
                yield from _remade(run, file, turn)


def _remade(run: TrainingSteps, file: ParsedFile, turn: _Turn) -> Problems:
    for at, line in enumerate(turn.body):
        # A statement with parts may make several steps.
        if not isinstance(line, ast.Expr) or not is_called(line, "step"):
            continue
        updates = [each for each in run.updates if file.is_in(each.location, line)]
        if len(updates) < 2:
            continue
        first, second = updates[:2]
        made = dict(_calls(turn.body[:at]))
        makes = (each for each in made.values() if last_name(each.func) == first.optimizer)
        built = next(makes, None)
        if built is None or _varies(turn, built):
            continue
        if _memories(run, first) & _memories(run, second):
            key, name, call = ".optimizer", "", built
            is_lost = _has_state(first)
        else:
            models = [name for name in made if name in _owners(built)]
            key, name = "", models[0] if len(models) == 1 else ""
            call = made.get(name, built)
            is_lost = bool(name) and not _varies(turn, call) and not _is_used(turn, at, name)
        if is_lost:
            yield problem(
                f"remade_in_loop{key}",
                "error" if name else "warning",
                step=second.number,
                location=file.location(call),
                name=name,
                optimizer=first.optimizer,
                update=line.lineno,
            )


def _calls(lines: list[ast.stmt]) -> Iterator[tuple[str, ast.Call]]:
    """The variables that get what a call returns, with these calls."""
    for line in lines:
        match line:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                yield name, call
            case _:
                continue


def _owners(call: ast.Call) -> set[str]:
    """The variables whose ``parameters()`` a call is given."""
    return {
        name
        for each in ast.walk(call)
        if isinstance(each, ast.Attribute) and each.attr in _PARAMETERS
        for name in names_in(each.value)
    }


def _varies(turn: _Turn, call: ast.Call) -> bool:
    """Whether a call depends on what differs from turn to turn, as in a search for a rate."""
    given = [turn.target] if isinstance(turn, ast.For) else []
    names = {name for each in given for name in names_in(each)}
    if isinstance(turn, ast.FunctionDef):
        names |= {each.arg for each in ast.walk(turn.args) if isinstance(each, ast.arg)}
    names |= {
        each.id
        for line in turn.body
        for each in ast.walk(line)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    return bool(names & (names_in(call) - _owners(call)))


def _is_used(turn: _Turn, at: int, name: str) -> bool:
    """Whether a turn uses a model after its step, or gives it away before."""
    given = {
        argument.id
        for call in ast.walk(turn)
        if isinstance(call, ast.Call)
        for argument in call.args
        if isinstance(argument, ast.Name)
    }
    return name in given or any(name in names_in(each) for each in turn.body[at + 1 :])


def _memories(run: TrainingSteps, step: OptimizerStep) -> set[int | None]:
    return set(map(run.storage, step.before)) - {None}


def _has_state(step: OptimizerStep) -> bool:
    """Whether an optimizer keeps averages of earlier gradients."""
    settings = {each.name: each.text for each in step.settings}
    return settings.get("momentum", "0") not in ("0", "0.0") or "betas" in settings
