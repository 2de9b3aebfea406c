"""Carries edited inputs over to the inputs that a file offers after it was saved."""

from __future__ import annotations

import dataclasses

from gradviz.model.inputs import InputSpec, Offer


def with_edits(new: Offer, old: Offer, edited: Offer) -> Offer:
    """Return the new offer with the inputs that were edited in the old one.

    An input is carried over if the file did not change it.

    Args:
        new: The file's current offer.
        old: The file's previous offer.
        edited: The previous offer with the edits of the form.
    """
    before = {spec.name: spec for spec in old.inputs}
    by_hand = {spec.name: spec for spec in edited.inputs}

    def chosen(spec: InputSpec) -> InputSpec:
        return by_hand.get(spec.name, spec) if before.get(spec.name) == spec else spec

    inputs = tuple(chosen(spec) for spec in new.inputs)
    return dataclasses.replace(
        new, inputs=inputs, start=edited.start, seed=edited.seed, device=edited.device
    )
