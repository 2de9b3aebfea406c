"""Changes that the engine makes to gradients returned by a custom Function's backward."""

from __future__ import annotations

from typing import Any

import torch

from gradviz.model.step import EngineConversion

ReturnedForm = tuple[tuple[int, ...], torch.dtype] | None
"""Shape and dtype of a returned tensor; None for any other value."""


def form_of(values: tuple[Any, ...]) -> tuple[ReturnedForm, ...]:
    """Shapes and dtypes of returned values, without holding the values."""
    return tuple(
        [
            (tuple(value.shape), value.dtype) if isinstance(value, torch.Tensor) else None
            for value in values
        ]
    )


def conversion_of(
    raw: tuple[ReturnedForm, ...] | None,
    argument: int | None,
    passed: torch.Tensor | None,
    *,
    leads_on: bool,
) -> EngineConversion:
    """Classify how the engine changed a returned value before passing it on.

    Args:
        raw: All returned values; None for torch's own nodes.
        argument: Index of the value in ``raw``; None if unknown.
        passed: What the engine passed on.
        leads_on: Whether the slot leads to another node.
    """
    known = raw is not None and argument is not None and argument < len(raw)
    value = raw[argument] if raw is not None and argument is not None and known else None
    if not leads_on:
        return "dropped" if value is not None else "none"
    if passed is None:
        return "none"
    if value is None:
        return "unchanged"
    reduced = tuple(passed.shape) != value[0]
    cast = passed.dtype != value[1]
    if reduced:
        return "reduced_and_cast" if cast else "reduced"
    return "cast" if cast else "unchanged"
