"""Preparation of a call: device, seed, callable and arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradviz.model.finding import Finding
from gradviz.model.inputs import InputSpec, Offer
from gradviz.model.inside import RecordingLevel
from gradviz.model.trace import Origin
from gradviz.protocol.messages import Device
from gradviz.recorder.run_origin import make_origin
from gradviz.store.writer import TraceWriter
from gradviz.worker.given_arguments import GivenArgument, shown_specs
from gradviz.worker.inputs import make_input, seed_all
from gradviz.worker.load import load
from gradviz.worker.module_setup import set_up
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
        names: Names of the arguments, in order.
        values: Values of the arguments, in order.
        notes: Sentences on how inputs differ from their specifications.
        setup: Sentences on what was done to a Module.
        given: What the file's example has created.
    """

    target: CallTarget
    names: tuple[str, ...]
    values: tuple[Any, ...]
    notes: tuple[str, ...]
    setup: tuple[str, ...] = ()
    given: tuple[InputSpec, ...] = ()


def prepare(offer: Offer, device: Device, *, checked: bool = False) -> PreparedCall:
    """Load the callable and create its arguments; ``checked`` is passed to `load`.

    Raises:
        LoadError: If the callable cannot be loaded.
        InputError: If an argument cannot be created, or a Module not be set up.
    """
    seed_all(offer.seed)
    target, given = load(offer.subject, checked=checked)
    setup = set_up(target, offer.module)
    # Seed again, because loading the file may have drawn random numbers.
    seed_all(offer.seed)
    made = [
        make_input(spec, device, _given_for(spec, position, given))
        for position, spec in enumerate(offer.inputs)
    ]
    return PreparedCall(
        target=target,
        names=tuple(spec.name for spec in offer.inputs),
        values=tuple(each.value for each in made),
        notes=tuple(each.note for each in made if each.note),
        setup=setup,
        given=shown_specs(given),
    )


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
