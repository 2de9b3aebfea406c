"""Saves the last inputs of each scene and each file subject between sessions."""

from __future__ import annotations

import dataclasses
import logging

from msgspec import structs

from gradviz.model.codec import CodecError, decode, encode
from gradviz.model.inputs import (
    DTYPES,
    BackwardStart,
    InputSpec,
    ModuleSetup,
    Offer,
)
from gradviz.viewer.inputs.fields.field_reader import read_argument
from gradviz.viewer.inputs.form_draft import form_draft
from gradviz.viewer.subject_preferences import SubjectPreferences


def with_edits(new: Offer, old: Offer, edited: Offer) -> Offer:
    """Return the new offer with the inputs that were edited in the old one.

    An input is carried over if the file did not change it.

    Args:
        new: The file's current offer.
        old: The file's previous offer.
        edited: The previous offer with the edits of the form.
    """
    before = {spec.name: spec for spec in old.inputs}
    edited_by_name = {spec.name: spec for spec in edited.inputs}

    def chosen(spec: InputSpec) -> InputSpec:
        return edited_by_name.get(spec.name, spec) if before.get(spec.name) == spec else spec

    inputs = tuple(chosen(spec) for spec in new.inputs)
    return structs.replace(new.with_setup_of(edited), inputs=inputs)


_STORE = SubjectPreferences("inputs/last")
_LOG = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RememberedInputs:
    """The part of an `Offer` that the form can change.

    Attributes:
        inputs: The inputs, in the order of the arguments.
        start: How the backward pass starts.
        seed: Seed of the random fills and of the run itself.
        module: What is done to a Module before the call.
    """

    inputs: tuple[InputSpec, ...]
    start: BackwardStart
    seed: int
    module: ModuleSetup


def inputs_of(offer: Offer) -> RememberedInputs:
    """The part of an offer that the form can change."""
    return RememberedInputs(
        inputs=offer.inputs, start=offer.start, seed=offer.seed, module=offer.module
    )


def save_inputs(offer: Offer, own: Offer) -> None:
    """Save the inputs of an offer; delete them if they are the original ones."""
    inputs = inputs_of(offer)
    _STORE.put(own.subject.text, None if inputs == inputs_of(own) else encode(inputs))


def has_inputs_of(path: str) -> bool:
    """Return whether inputs were saved for anything in a file."""
    return _STORE.has_any(f"{path}:")


def load_inputs(own: Offer) -> Offer | None:
    """Restore the inputs that were saved for an offer.

    Args:
        own: The offer with the original inputs of the scene or the file.

    Returns:
        The offer with the saved inputs; None if there are none, or if they no longer fit.
    """
    data = _STORE.get(own.subject.text)
    if data is None:
        return None
    try:
        inputs = decode(RememberedInputs, data)
    except CodecError as error:
        _LOG.info("The saved inputs of %s cannot be read: %s.", own.subject.text, error)
        return None
    if problem := _misfit(inputs, own):
        _LOG.info("The saved inputs of %s no longer fit: %s.", own.subject.text, problem)
        return None
    return structs.replace(
        own,
        inputs=tuple(map(_with_own_elements, inputs.inputs, own.inputs)),
        start=inputs.start,
        seed=inputs.seed,
        module=inputs.module,
    )


def _misfit(inputs: RememberedInputs, own: Offer) -> str:
    names = [spec.name for spec in inputs.inputs]
    if names != [spec.name for spec in own.inputs]:
        return f"they are for the arguments {', '.join(names) or 'of none'}"
    for spec, first in zip(inputs.inputs, own.inputs, strict=True):
        if spec.fill == "given" and spec.kind != "none" and not _same_given(spec, first):
            return f"{spec.name} is different in the file"
    draft = form_draft(structs.replace(own, inputs=inputs.inputs))
    for spec, first, fields in zip(inputs.inputs, own.inputs, draft.arguments, strict=True):
        known = spec.kind != "tensor" or spec.dtype in (*DTYPES, first.dtype)
        if not known or (spec.fill != "given" and read_argument(fields, first).spec != spec):
            return f"{spec.name} cannot be created this way"
    return ""


def _same_given(spec: InputSpec, own: InputSpec) -> bool:
    """Whether the file still creates the same input, judged by its specification."""
    if own.fill != "given" or spec.kind != own.kind:
        return False
    return (spec.shape, spec.dtype) == (own.shape, own.dtype) and (
        spec.kind == "tensor" or spec.text == own.text
    )


def _with_own_elements(spec: InputSpec, own: InputSpec) -> InputSpec:
    """Update an input created by the file to the elements that the file creates now."""
    if spec.kind == "tensor" and spec.fill == "given":
        return structs.replace(spec, values=own.values)
    return spec
