"""Finds the structure of a Jacobian: diagonal, blocks, band, and exact zeros."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

StructureKind = Literal["zero", "identity", "diagonal", "blocks", "banded", "dense", "sparse"]

_SMALLEST_BAND = 8
"""In a smaller matrix, elements near the diagonal mean little."""

_BAND_SHARE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class JacobianStructure:
    """Sparsity structure of a matrix.

    Attributes:
        zeros: Number of elements that are exactly zero.
        count: Number of all elements.
        kind: Structure; ``sparse`` if there are zeros but no other structure was found.
        blocks: For ``blocks``: number of blocks on the diagonal, and rows and columns of each.
        band: For ``banded``: number of diagonals on either side of the main one.
    """

    zeros: int
    count: int
    kind: StructureKind
    blocks: tuple[int, int, int] = (0, 0, 0)
    band: int = 0


def structure_of(
    values: npt.NDArray[Any], input_shape: tuple[int, ...], output_shape: tuple[int, ...]
) -> JacobianStructure:
    """Find the structure of a matrix ``[input elements, output elements]``.

    Args:
        values: The matrix.
        input_shape: Shape of the input.
        output_shape: Shape of the output. Its leading dimensions in common with the input, such as
            the batch, determine the blocks that are tried.
    """
    rows, columns = values.shape
    filled = values != 0
    count, zeros = values.size, values.size - int(np.count_nonzero(filled))

    def found(
        kind: StructureKind, blocks: tuple[int, int, int] = (0, 0, 0), band: int = 0
    ) -> JacobianStructure:
        return JacobianStructure(zeros=zeros, count=count, kind=kind, blocks=blocks, band=band)

    if zeros == count:
        return found("zero")
    if zeros == 0:
        return found("dense")
    diagonal = values.diagonal()
    # Counting is enough: if the diagonal has all nonzero elements, the others are zero.
    if rows == columns and count - zeros == np.count_nonzero(diagonal):
        return found("identity" if (diagonal == 1).all() else "diagonal")
    blocks = _blocks(filled, count - zeros, _common(input_shape, output_shape))
    if blocks is not None:
        return found("blocks", blocks)
    band = _band(filled) if rows == columns and rows >= _SMALLEST_BAND else rows
    if _BAND_SHARE * (2 * band + 1) <= rows:
        return found("banded", band=band)
    return found("sparse")


def _common(first: tuple[int, ...], second: tuple[int, ...]) -> list[int]:
    """Possible numbers of blocks from common leading dimensions, largest first."""
    found, product = [], 1
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        product *= one
        found.append(product)
    return [each for each in reversed(found) if each > 1]


def _blocks(
    filled: npt.NDArray[np.bool_], nonzero: int, counts: list[int]
) -> tuple[int, int, int] | None:
    rows, columns = filled.shape
    for count in counts:
        if rows % count or columns % count:
            continue
        shape = (count, rows // count, count, columns // count)
        # The repeated index selects the blocks on the diagonal, without a copy.
        inside = np.einsum("abac->abc", filled.reshape(shape))
        if np.count_nonzero(inside) == nonzero:
            return count, rows // count, columns // count
    return None


def _band(filled: npt.NDArray[np.bool_]) -> int:
    """Largest distance of a nonzero element from the main diagonal."""
    size = len(filled)
    some = np.asarray(filled.any(axis=1))
    first = filled.argmax(axis=1)
    # `argmax` finds the first True, so search the reversed rows for the last one.
    last = size - 1 - filled[:, ::-1].argmax(axis=1)
    places = np.flatnonzero(some)
    return int(np.maximum(np.abs(first[places] - places), np.abs(last[places] - places)).max())
