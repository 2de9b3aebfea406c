"""Pairs that are still being computed, ready to be painted: what there is, and how much that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage

from gradviz.drawing.heat import Bytes, colours_of, heat_of, limit_of
from gradviz.model.jacobian import JacobianBlock
from gradviz.model.tensor import TensorValue
from gradviz.viewer.jacobians.pyramid import levels_of

MOST_PAIRS = 3
"""Pairs that are painted."""

Kind = Literal["numerical", "analytical"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GrowingMap:
    """One matrix, as far as it is there.

    Attributes:
        kind: ``numerical`` grows by rows, ``analytical`` by columns.
        shape: Rows and columns of the whole.
        known: Rows and columns that are there.
        image: Of what is there, in few enough pixels; null for nothing.
    """

    kind: Kind
    shape: tuple[int, int]
    known: tuple[int, int]
    image: QImage


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GrowingPair:
    """One pair of output and input that is not compared yet.

    Attributes:
        block: What it is of.
        maps: Numerical and analytical.
    """

    block: JacobianBlock
    maps: tuple[GrowingMap, GrowingMap]


def growing_pairs(
    blocks: tuple[JacobianBlock, ...], values: Mapping[int, TensorValue]
) -> tuple[GrowingPair, ...]:
    """Prepares the pairs of which there is something, those that have most first.

    Args:
        blocks: Of a report, unfinished.
        values: Their matrices.
    """
    pairs = [_pair(block, values) for block in blocks if _is_there(block, values)]
    pairs.sort(key=_share, reverse=True)
    return tuple(pairs[:MOST_PAIRS])


def _is_there(block: JacobianBlock, values: Mapping[int, TensorValue]) -> bool:
    return block.numerical in values and block.analytical in values


def _pair(block: JacobianBlock, values: Mapping[int, TensorValue]) -> GrowingPair:
    arrays = values[block.numerical].array(), values[block.analytical].array()
    # Rows of the one and columns of the other are whole, so each knows a side of the matrix.
    shape = arrays[1].shape[0], arrays[0].shape[1]
    limit = limit_of(*arrays)
    kinds: tuple[Kind, Kind] = ("numerical", "analytical")
    first, second = (
        GrowingMap(kind=kind, shape=shape, known=values.shape, image=_image(values, limit))
        for kind, values in zip(kinds, arrays, strict=True)
    )
    return GrowingPair(block=block, maps=(first, second))


def _image(values: npt.NDArray[Any], limit: float) -> QImage:
    if not values.size:
        return QImage()
    colours: Bytes = np.ascontiguousarray(colours_of(levels_of(heat_of(values))[-1], limit))
    height, width = colours.shape[:2]
    # The array's memory goes when this function returns.
    return QImage(colours.data, width, height, 3 * width, QImage.Format.Format_RGB888).copy()


def _share(pair: GrowingPair) -> float:
    """How much of the rows is there; a pair whose rows grow comes before one that waits."""
    (rows, _), known = pair.maps[0].shape, pair.maps[0].known
    return known[0] / rows if rows else 0.0
