"""Non-dense arguments, with their elements made variable as in gradcheck.

The elements of a sparse tensor are varied in a copy that specifies them all or, if ``masked``, only
those that the tensor specifies; an MKL-DNN tensor is varied in a dense copy that is converted for
each evaluation.
Source: ``_densify`` and ``_iter_tensor`` in torch/autograd/gradcheck.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

_BY_COLUMNS = (torch.sparse_csc, torch.sparse_bsc)
_IN_BLOCKS = (torch.sparse_bsr, torch.sparse_bsc)


def is_dense(argument: object) -> bool:
    """Whether an argument is a dense tensor or not a tensor at all."""
    return not isinstance(argument, Tensor) or argument.layout is torch.strided


def values_of(tensor: Tensor) -> Tensor:
    """The specified elements of a sparse tensor; any other tensor unchanged."""
    if tensor.layout is torch.strided or tensor.is_mkldnn:
        return tensor
    return (tensor.coalesce() if tensor.layout is torch.sparse_coo else tensor).values()


class MovableElements:
    """An argument whose elements can be varied.

    Args:
        argument: The argument.
        masked: Whether only the specified elements of a sparse one are.

    Attributes:
        values: The dense tensor to modify in place, with one element per varied element.
        places: For each element of ``values``, its row-major position in the argument.
    """

    def __init__(self, argument: Tensor, *, masked: bool) -> None:
        self._argument = argument
        detached = argument.detach()
        if argument.layout is torch.strided:
            self.values, self._full = argument.data, argument
            self.places = torch.arange(argument.numel(), device="cpu")
            return
        if argument.is_mkldnn:
            self.values, self._full = detached.to_dense(), argument
            self.places = torch.arange(argument.numel(), device="cpu")
            return
        # Numbered from 1, since `to_sparse` leaves zeros out.
        if masked:
            count = values_of(detached).numel()
            numbers = torch.arange(1, count + 1, device=argument.device)
            pattern = _filled(detached, numbers)
            dense = pattern.to_dense().reshape(-1)
            places = torch.empty_like(numbers)
            places[dense[dense > 0] - 1] = dense.nonzero().reshape(-1)
            self.places = places
        else:
            numbers = torch.arange(1, argument.numel() + 1, device=argument.device)
            pattern = _as_sparse(numbers.view(argument.shape), argument)
            self.places = values_of(pattern).reshape(-1) - 1
        chosen = detached.to_dense().reshape(-1)[self.places]
        self._full = _filled(pattern, chosen)
        self._full.requires_grad_(argument.requires_grad)
        self.values = values_of(self._full).data

    def value(self, *, is_moved: bool) -> Tensor:
        """The argument to pass to the next evaluation."""
        # Elements of an mkldnn tensor cannot be written: it has to be converted again.
        if self._argument.is_mkldnn and is_moved:
            return self.values.to_mkldnn()
        return self._full

    def in_order(self, matrix: Tensor) -> Tensor:
        """Rows of the argument's elements from those of ``values``; zeros where nothing varies."""
        ordered = matrix.new_zeros(self._argument.numel(), matrix.shape[1])
        ordered[self.places.to(matrix.device)] = matrix
        return ordered

    def of_values(self, dense: Tensor) -> Tensor:
        """Reorder one number per argument element into the shape of ``values``."""
        return dense.reshape(-1)[self.places].view(self.values.shape)


class MovedValues:
    """Arguments, some of them not dense, in the form needed for finite differences."""

    def __init__(self, arguments: Sequence[Any], *, masked: bool) -> None:
        self._arguments = arguments
        self._masked = masked
        self._movables: dict[int, MovableElements] = {}

    def of(self, argument: Tensor) -> MovableElements:
        """The variable form of one of the arguments."""
        self._prepare()
        (position,) = (k for k, each in enumerate(self._arguments) if each is argument)
        return self._movables.setdefault(position, MovableElements(argument, masked=self._masked))

    def arguments(self, moved: MovableElements) -> list[Any]:
        """The arguments to call the function with while one of them is varied."""
        found = self._movables
        return [
            found[k].value(is_moved=found[k] is moved) if k in found else each
            for k, each in enumerate(self._arguments)
        ]

    def _prepare(self) -> None:
        for k, each in enumerate(self._arguments):
            # A nested tensor is never varied.
            if k not in self._movables and not is_dense(each) and not each.is_nested:
                self._movables[k] = MovableElements(each, masked=self._masked)


def as_movable(tensor: Tensor, values: Tensor) -> Tensor:
    """A dense vector with the given values at the tensor's specified elements, else zeros."""
    if tensor.layout is torch.strided or tensor.is_mkldnn:
        return values
    return _filled(tensor.detach(), values).to_dense().reshape(-1)


def _as_sparse(dense: Tensor, like: Tensor) -> Tensor:
    if like.layout is torch.sparse_coo:
        return dense.to_sparse(like.sparse_dim()).coalesce()
    size = tuple(like.values().shape[1:3]) if like.layout in _IN_BLOCKS else None
    dims: Any = like.dense_dim() or None
    return dense.to_sparse(layout=like.layout, blocksize=size, dense_dim=dims)


def _filled(pattern: Tensor, values: Tensor) -> Tensor:
    """A sparse tensor with the same specified elements as a pattern and other values.

    Args:
        pattern: The pattern; its elements are coalesced.
        values: One for each specified element, in any shape.
    """
    values = values.view(values_of(pattern).shape)
    if pattern.layout is torch.sparse_coo:
        # Declared as coalesced, so that `coalesce` returns it as it is and its elements can be
        # written.
        indices = pattern.coalesce().indices()
        return torch.sparse_coo_tensor(indices, values, pattern.shape, is_coalesced=True)
    by_columns = pattern.layout in _BY_COLUMNS
    compressed = pattern.ccol_indices() if by_columns else pattern.crow_indices()
    plain = pattern.row_indices() if by_columns else pattern.col_indices()
    return torch.sparse_compressed_tensor(
        compressed, plain, values, pattern.shape, layout=pattern.layout
    )
