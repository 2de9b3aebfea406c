"""Dimensions in words."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.catalogue.messages import say, say_list


def say_dimensions(dimensions: Sequence[int]) -> str:
    """For example ``dimension 0`` or ``dimensions 0 and 2``."""
    key = "diagnosis.dimension" if len(dimensions) == 1 else "diagnosis.dimensions"
    return say(key, dimensions=say_list([str(each) for each in dimensions]))


def say_dimensions_of(dimensions: Sequence[int], name: str) -> str:
    """For example ``dimension 0 of x``."""
    return say("diagnosis.of", dimensions=say_dimensions(dimensions), name=name)
