"""Answer to the question what can be run in a user's file."""

from __future__ import annotations

import dataclasses

import torch

from gradviz.model.inputs import InputSpec, Offer, RunSubject
from gradviz.protocol.messages import Described
from gradviz.worker.examples import Example, examples_in
from gradviz.worker.load import LoadError, load_file
from gradviz.worker.signature import TargetError

_MOST_VALUES = 100_000
"""Limit for all inputs of a file together, so that the reply fits into one frame."""


def describe(path: str) -> Described:
    """The offers of a file, or a sentence on why there are none."""
    try:
        examples, problem = examples_in(load_file(path))
    except (LoadError, TargetError) as error:
        return Described(offers=(), problem=str(error))
    left = _MOST_VALUES
    offers = []
    for example in examples:
        specs = []
        for given in example.arguments:
            left -= len(given.spec.values)
            specs.append(given.spec if left >= 0 else dataclasses.replace(given.spec, values=()))
        offers.append(_offer(path, example, tuple(specs)))
    return Described(offers=tuple(offers), problem=problem)


def _offer(path: str, example: Example, inputs: tuple[InputSpec, ...]) -> Offer:
    name = example.target.name
    return Offer(
        subject=RunSubject(path=path, name=name),
        title=name,
        inputs=inputs,
        line=example.target.line,
        is_module=isinstance(example.target.thing, torch.nn.Module),
    )
