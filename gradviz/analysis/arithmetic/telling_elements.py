"""Choose the elements whose arithmetic says most about a step."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from gradviz.analysis.arithmetic.element_arithmetic import ArithmeticFinder, named_results
from gradviz.analysis.arithmetic.expression import terms
from gradviz.analysis.dependence.element_dependence import ElementIndex, element_index
from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.item import Item
from gradviz.model.step import NodeStep

TensorElement = tuple[int, ElementIndex]
"""Number of a tensor, and the index of one of its elements."""

_ELEMENT: Final = re.compile(r"\s*(.+?)\s*(?:\[\s*(\d{1,18}(?:\s*,\s*\d{1,18})*)\s*\]\s*)?")


def telling_elements(
    index: TraceIndex, finder: ArithmeticFinder, place: TracePosition
) -> tuple[TensorElement, ...]:
    """One element that a custom backward computed, and one that the engine summed.

    Of the first gradient that is a sum, or else the first with a formula, it is the element with
    the largest absolute value.

    Args:
        index: The trace.
        finder: Finds the arithmetic of the trace.
        place: A step, or its stage ``backward`` or ``engine``, to which the choice is limited.
    """
    step = step_at(index, place.step)
    if not isinstance(step, NodeStep) or not step.returned or place.line is not None:
        return ()
    summed = [each.item for each in step.passed if each.change.startswith("reduced")]
    found: list[TensorElement | None] = []
    if place.stage in (None, "backward"):
        found.append(_telling(index, finder, place, step.returned))
    if place.stage in (None, "engine"):
        found.append(_telling(index, finder, place, summed))
    return tuple([each for each in found if each is not None])


def named_element(
    index: TraceIndex, finder: ArithmeticFinder, place: TracePosition, text: str
) -> TensorElement | None:
    """The element of a step's results with a name such as ``grad_weight[0, 2]``.

    Args:
        index: The trace.
        finder: Finds the arithmetic of the trace.
        place: Place in the step.
        text: The name; one without an index means a scalar.

    Returns:
        None if there is no such element, or if its arithmetic is unknown. Of several, the last one:
        a gradient after the engine's checks comes after that which backward returned.
    """
    named = parse_element(text)
    if named is None:
        return None
    name, element = named
    found = None
    for item in named_results(index, step_at(index, place.step)):
        if item.tensor is None or item.name != name:
            continue
        shape = index.tensor.bare(item.tensor).shape
        inside = len(shape) == len(element) and all(map(int.__lt__, element, shape))
        if inside and finder.find(place, item.tensor, element) is not None:
            found = (item.tensor, element)
    return found


def parse_element(text: str) -> tuple[str, ElementIndex] | None:
    """Name and index of an element such as ``grad_weight[0, 2]``; None if it is not one."""
    match = _ELEMENT.fullmatch(text)
    if match is None or "[" in match[1]:
        return None
    return match[1], tuple([int(each) for each in match[2].split(",")]) if match[2] else ()


def _telling(
    index: TraceIndex, finder: ArithmeticFinder, place: TracePosition, items: Iterable[Item]
) -> TensorElement | None:
    first: TensorElement | None = None
    for tensor, element in _largest(index, items):
        arithmetic = finder.find(place, tensor, element)
        if arithmetic is None or arithmetic.place.step != place.step:
            continue
        if len(terms(arithmetic.expression)) > 1:
            return tensor, element
        first = first or (tensor, element)
    return first


def _largest(index: TraceIndex, items: Iterable[Item]) -> Iterator[TensorElement]:
    """The finite element with the largest absolute value of each tensor, unless all are zero."""
    for item in items:
        whole = item.tensor is not None and index.tensor.bare(item.tensor).content == "whole"
        value = index.value(item.tensor) if whole and item.tensor is not None else None
        if value is None or item.tensor is None:
            continue
        sizes = np.abs(value.array().astype(np.complex128))
        sizes = np.where(np.isfinite(sizes), sizes, 0)
        if sizes.size and sizes.max() > 0:
            yield item.tensor, element_index(int(sizes.argmax()), sizes.shape)
