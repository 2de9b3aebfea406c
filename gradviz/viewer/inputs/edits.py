"""Carries what was changed by hand over to what a file offers after it was saved."""

from __future__ import annotations

import dataclasses

from gradviz.model.inputs import InputSpec, Offer


def with_edits(new: Offer, old: Offer, edited: Offer) -> Offer:
    """What a file offers now, with what was changed by hand in what it offered before.

    Args:
        new: As the file has it now.
        old: As the file had it before.
        edited: The old one with the changes of the form.
    """
    before = {spec.name: spec for spec in old.inputs}
    by_hand = {spec.name: spec for spec in edited.inputs}

    def chosen(spec: InputSpec) -> InputSpec:
        return by_hand.get(spec.name, spec) if before.get(spec.name) == spec else spec

    inputs = tuple(chosen(spec) for spec in new.inputs)
    return dataclasses.replace(
        new, inputs=inputs, start=edited.start, seed=edited.seed, device=edited.device
    )
