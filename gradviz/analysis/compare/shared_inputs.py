"""Inputs with which another program is run, so that the two runs can be compared."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from gradviz.catalogue.messages import say, say_list
from gradviz.model.inputs import InputSpec, Offer

_FLOATING = {
    "float64": "complex128", "float32": "complex64", "float16": "complex64",
    "bfloat16": "complex64",
}  # fmt: skip
"""Floating dtypes that inputs can be converted to, each with the matching complex dtype."""

FLOAT_DTYPES = tuple(_FLOATING)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptedOffer:
    """An offer with the inputs of another one.

    Attributes:
        offer: The offer.
        note: A sentence on inputs that were kept; empty if there are none.
    """

    offer: Offer
    note: str


def with_inputs_of(offer: Offer, other: Offer) -> AdaptedOffer:
    """Replace inputs of an offer by those of another with matching name, kind and shape.

    The seed and the device are taken over, too; the start of backward and the setup of a Module
    only if both have the same subject.
    """
    theirs = {spec.name: spec for spec in other.inputs}
    same = offer.subject == other.subject
    inputs, own = [], []
    for spec in offer.inputs:
        found = theirs.get(spec.name)
        if found is None or not _fits(found, spec):
            inputs.append(spec)
            own.append(spec.name)
        else:
            inputs.append(found if same else _without_file(found, spec))
    adapted = replace(
        offer,
        inputs=tuple(inputs),
        seed=other.seed,
        device=other.device,
        start=other.start if same else offer.start,
        module=other.module if same else offer.module,
    )
    return AdaptedOffer(offer=adapted, note=_note(own))


def _fits(theirs: InputSpec, own: InputSpec) -> bool:
    if theirs.kind != own.kind:
        return "none" in (theirs.kind, own.kind) and theirs.fill != "given"
    if theirs.kind != "tensor":
        return theirs.fill != "given" or theirs == own
    return theirs.shape == own.shape and (theirs.fill != "given" or bool(theirs.values))


def _without_file(theirs: InputSpec, own: InputSpec) -> InputSpec:
    """Replace an input that a file creates by its elements, for use with another file."""
    if theirs.fill == "given" and theirs != own:
        return replace(theirs, fill="values")
    return theirs


def _note(names: list[str]) -> str:
    if not names:
        return ""
    key = "compare.own.one" if len(names) == 1 else "compare.own"
    return say(key, names=say_list(names))


def with_input_dtype(offer: Offer, dtype: str) -> Offer:
    """The offer with all floating inputs converted to another floating dtype.

    Raises:
        ValueError: If the dtype is not in `FLOAT_DTYPES`.
    """
    if dtype not in _FLOATING:
        raise ValueError(f"{dtype} is not one of {', '.join(_FLOATING)}")
    return replace(offer, inputs=tuple([_in_dtype(spec, dtype) for spec in offer.inputs]))


def _in_dtype(spec: InputSpec, dtype: str) -> InputSpec:
    if spec.kind != "tensor":
        return spec
    if spec.dtype in _FLOATING:
        return replace(spec, dtype=dtype)
    if spec.dtype.startswith("complex"):
        return replace(spec, dtype=_FLOATING[dtype])
    return spec
