"""Preparation of a call: device, seed, callable and arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from gradviz.model.finding import Finding
from gradviz.model.inputs import InputSpec, Offer
from gradviz.model.inside import RecordingLevel
from gradviz.model.trace import Origin
from gradviz.model.what_if import InputTarget, WhatIfChange
from gradviz.protocol.messages import Device
from gradviz.recorder.run_origin import make_origin
from gradviz.recorder.tensors.tensor_elements import dtype_name
from gradviz.recorder.what_if import replace_elements
from gradviz.store.writer import TraceWriter
from gradviz.worker.examples import Example
from gradviz.worker.given_arguments import GivenArgument, shown_specs
from gradviz.worker.inputs import MadeInput, is_own_tensor, make_input, seed_all
from gradviz.worker.load import load
from gradviz.worker.module_setup import set_up
from gradviz.worker.nested_inputs import flat_arguments, put_together
from gradviz.worker.signature import CallTarget


def origin_of(offer: Offer, device: str, level: RecordingLevel = "nodes") -> Origin:
    """Metadata for a run of an offer.

    Args:
        offer: What is run.
        device: Title of the device.
        level: Recording level.
    """
    subject = offer.subject
    text = subject.text if subject.scene else f"{Path(subject.path).name}:{subject.name}"
    return make_origin(title=offer.title, subject=text, device=device, seed=offer.seed, level=level)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedCall:
    """A call that is ready to be made.

    Attributes:
        target: What is called.
        names: Names of the inputs, in order: arguments, and parts of those that are containers.
        values: Values of the inputs, in order.
        notes: Sentences on how inputs differ from their specifications.
        setup: Sentences on what was done to a Module.
        given: What the file's example has created.
        containers: The arguments that the file's example has created, with their parts.
    """

    target: CallTarget
    names: tuple[str, ...]
    values: tuple[Any, ...]
    notes: tuple[str, ...]
    setup: tuple[str, ...] = ()
    given: tuple[InputSpec, ...] = ()
    containers: tuple[GivenArgument, ...] = ()

    def arguments(self, values: Sequence[Any]) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Names and values of the arguments for values of the inputs.

        Raises:
            WorkError: If a container refuses other parts.
        """
        return put_together(self.names, values, self.containers)

    def changed(self, changes: Sequence[WhatIfChange]) -> PreparedCall | None:
        """The call with other elements of its inputs; None if something else is to be changed."""
        values = list(self.values)
        for change in changes:
            target = change.target
            if (
                not isinstance(target, InputTarget)
                or self.names[target.position : target.position + 1] != (target.name,)
                or not isinstance(value := values[target.position], torch.Tensor)
                or (dtype_name(value.dtype), tuple(value.shape)) != (change.dtype, change.shape)
            ):
                return None
            new = replace_elements(value, change)
            values[target.position] = new.requires_grad_(value.requires_grad)
        return replace(self, values=tuple(values))


def prepare(
    offer: Offer, device: Device, *, checked: bool = False, example: Example | None = None
) -> PreparedCall:
    """Load the callable and create its arguments.

    Args:
        offer: What is called.
        device: Device of the inputs.
        checked: As for `load`.
        example: What `load` would find, if the file has been loaded already.

    Raises:
        WorkError: If the callable cannot be loaded.
        WorkError: If an argument cannot be created, or a Module not be set up.
    """
    seed_all(offer.seed)
    if example is None:
        target, given = load(offer.subject, checked=checked)
    else:
        target, given = example.target, example.arguments
    setup = set_up(target, offer.module)
    # Seed again, because loading the file may have drawn random numbers.
    seed_all(offer.seed)
    flat = flat_arguments(given)
    made = [
        _make(spec, device, _given_for(spec, position, flat))
        for position, spec in enumerate(offer.inputs)
    ]
    prepared = PreparedCall(
        target=target,
        names=tuple(spec.name for spec in offer.inputs),
        values=tuple(each.value for each in made),
        notes=tuple(each.note for each in made if each.note),
        setup=setup,
        given=shown_specs(flat),
        containers=given,
    )
    # Say now what cannot be put together.
    prepared.arguments(prepared.values)
    return prepared


def _make(spec: InputSpec, device: Device, given: GivenArgument | None) -> MadeInput:
    made = make_input(spec, device, given)
    # What is inside of a container stays the file's own, as long as the form does not change it.
    if given is not None and given.is_part and is_own_tensor(spec, device, given):
        return MadeInput(value=given.value)
    return made


def _given_for(
    spec: InputSpec, position: int, given: Sequence[GivenArgument]
) -> GivenArgument | None:
    if position < len(given) and given[position].spec.name == spec.name:
        return given[position]
    return None


def record_notes(writer: TraceWriter, code: str, notes: Sequence[str]) -> None:
    """Write sentences into the trace as findings."""
    first = writer.highest("finding") + 1
    for number, message in enumerate(notes, first):
        writer.put(
            Finding(id=number, code=code, severity="info", message=message, step=None, node=None)
        )
