"""Converts the input fields of a new breakpoint to a breakpoint target."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QCoreApplication

from gradviz.model.breakpoints.point import (
    AtFunction,
    Direction,
    Target,
    WhenDtype,
    WhenNorm,
    WhenNotFinite,
    WhenPrinted,
    WhenRaised,
    WhenShape,
    WhenSign,
)

Kind = Literal["nan", "inf", "norm", "shape", "dtype", "sign", "printed", "raised", "function"]
Field = Literal["moment", "limit", "among", "name", "element", "side", "direction"]

FIELDS: dict[Kind, tuple[Field, ...]] = {
    "nan": ("moment",),
    "inf": ("moment",),
    "norm": ("limit", "among", "moment"),
    "shape": (),
    "dtype": (),
    "sign": ("name", "element", "side"),
    "printed": (),
    "raised": (),
    "function": ("name", "direction"),
}
"""Fields that each kind needs, in the order of display."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """Contents of the input fields.

    Attributes:
        kind: What to stop at.
        appears: Whether to stop only where it appears.
        limit: Limit of a norm, as typed.
        gradients: Whether only gradients count.
        name: Name of a function, leaf or variable, as typed.
        element: Indices separated by commas, as typed.
        gradient: Whether a leaf's ``.grad`` is meant.
        direction: Which steps of a function count.
    """

    kind: Kind
    appears: bool = True
    limit: str = ""
    gradients: bool = True
    name: str = ""
    element: str = ""
    gradient: bool = True
    direction: Direction = "both"


def read(draft: Draft) -> Target | str:
    """Return the breakpoint target, or a sentence on what is missing."""
    name = draft.name.strip()
    match draft.kind:
        case "nan" | "inf":
            return WhenNotFinite(kind=draft.kind, appears=draft.appears)
        case "norm":
            return _norm(draft)
        case "sign":
            return _sign(draft, name)
        case "function":
            if not name:
                return _tr(
                    "Enter the name of a function, node or op, such as mul, MulBackward0 or "
                    "aten::mul."
                )
            return AtFunction(name=name, direction=draft.direction)
        case "shape":
            return WhenShape()
        case "dtype":
            return WhenDtype()
        case "printed":
            return WhenPrinted()
        case "raised":
            return WhenRaised()


def _norm(draft: Draft) -> Target | str:
    try:
        limit = float(draft.limit)
    except ValueError:
        limit = math.nan
    if not math.isfinite(limit) or limit < 0:
        return _tr("The norm must be a number that is 0 or greater.")
    return WhenNorm(above=limit, gradients=draft.gradients, appears=draft.appears)


def _sign(draft: Draft, name: str) -> Target | str:
    if not name:
        return _tr("Enter the name of a leaf or variable.")
    try:
        element = tuple([int(part) for part in draft.element.split(",") if part.strip()])
    except ValueError:
        element = (-1,)
    if any(at < 0 for at in element):
        return _tr(
            "Enter the element's indices: whole numbers from 0, separated by commas, one per "
            "dimension."
        )
    return WhenSign(name=name, element=element, gradient=draft.gradient)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Breakpoints", text)
