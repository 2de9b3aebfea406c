"""Answer to the question what can be run in a user's file."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Container, Iterable
from pathlib import Path

import torch
from msgspec import structs

from gradviz.catalogue.messages import say
from gradviz.linter.file_outline import read_outline
from gradviz.model.inputs import InputSpec, Offer, RunSubject
from gradviz.protocol.messages import Described, DescribeRequest
from gradviz.store.file_kind import kind_of
from gradviz.worker.examples import Example, examples_in
from gradviz.worker.given_arguments import MOST_SHOWN, shown_specs
from gradviz.worker.inputs import seed_all
from gradviz.worker.load import load_file
from gradviz.worker.module_setup import mode_of
from gradviz.worker.nested_inputs import flat_arguments
from gradviz.worker.notebook.cell_run import cell_offers
from gradviz.worker.notebook.notebook_file import read_notebook
from gradviz.worker.signature import CallTarget
from gradviz.worker.undeclared.made_inputs import make_inputs
from gradviz.worker.undeclared.signature_inputs import guessed_inputs
from gradviz.worker.undeclared.targets import undeclared_targets
from gradviz.worker.user_errors import WorkError


def describe(
    request: DescribeRequest,
    send: Callable[[Described], None] = lambda described: None,
    loaded: dict[str, Example] | None = None,
) -> Described:
    """The offers of a file, or a sentence on why there are none.

    Args:
        request: What is asked.
        send: Sends a reply before the last one: the offers, while inputs are made for the first.
        loaded: Receives the examples by name.

    Returns:
        The last reply.
    """
    try:
        return _described(request, send, {} if loaded is None else loaded)
    except WorkError as error:
        return Described(offers=(), problem=str(error), is_broken=True, line=error.line)


def _described(
    request: DescribeRequest, send: Callable[[Described], None], loaded: dict[str, Example]
) -> Described:
    path = request.path
    if kind_of(Path(path)) == "notebook":
        notebook = read_notebook(path)
        # No cell is run.
        return Described(offers=cell_offers(notebook), problem=notebook.ignored())
    unrun = None if request.runs_work or request.made_for else _describe_text(path)
    if unrun is not None:
        return unrun
    # As before a run, so that the form shows the values that a run with this seed gets.
    seed_all(request.seed)
    module = load_file(path)
    examples, declared, problem = examples_in(module)
    undeclared = list(undeclared_targets(module, declared))
    if request.made_for:
        return _made(path, request.made_for, undeclared)
    left = MOST_SHOWN
    offers = []
    for example in examples:
        specs = shown_specs(flat_arguments(example.arguments), left)
        left -= sum(len(spec.values) for spec in specs)
        offers.append(_offer(path, example.target, specs))
        loaded[example.target.name] = example
    offers += [_undeclared_offer(path, each, guessed_inputs(each)) for each in undeclared]
    is_broken = bool(problem)
    if not problem and all(each.is_plain_function for each in offers):
        problem = say("examples.nothing", file=os.path.basename(path))
    described = Described(offers=tuple(offers), problem=problem, is_broken=is_broken)
    if examples or not (request.makes_inputs and offers) or offers[0].waits_for_choice:
        return described
    send(described)
    return _made(path, (offers[0].subject.name,), undeclared)


def _describe_text(path: str) -> Described | None:
    """What the text of a file defines, if the file would do work and declare nothing."""
    outline, name = read_outline(Path(path)), os.path.basename(path)
    if outline is None or outline.declares_examples:
        return None
    if outline.work_line:
        problem = say("examples.not_run", file=name, line=outline.work_line)
    elif outline.has_main_block and outline.has_training_loop:
        # Its model alone, on inputs that are made up, is not what the file is about.
        problem = say("examples.trains", file=name)
    else:
        return None
    return Described(offers=outline.offers, problem=problem)


def _made(path: str, names: Container[str], undeclared: Iterable[CallTarget]) -> Described:
    """Offers with made inputs for some names, and a sentence on those without any."""
    offers, problems = [], []
    for each in undeclared:
        if each.name in names:
            try:
                offers.append(_undeclared_offer(path, each, make_inputs(each)))
            except WorkError as error:
                problems.append(str(error))
    return Described(offers=tuple(offers), problem=" ".join(problems))


def _undeclared_offer(path: str, target: CallTarget, inputs: tuple[InputSpec, ...]) -> Offer:
    return structs.replace(
        _offer(path, target, inputs),
        is_declared=False,
        expression=target.expression,
        is_plain_function=inspect.isfunction(target.thing),
    )


def _offer(path: str, target: CallTarget, inputs: tuple[InputSpec, ...]) -> Offer:
    return Offer(
        subject=RunSubject(path=path, name=target.name),
        title=target.name,
        inputs=inputs,
        line=target.line,
        is_module=isinstance(target.thing, torch.nn.Module),
        given_mode=mode_of(target.thing),
    )
