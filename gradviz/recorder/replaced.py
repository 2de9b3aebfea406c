"""A tensor with some of its elements replaced, bit for bit."""

from __future__ import annotations

import torch

from gradviz.model.changes import Change


def replaced(tensor: torch.Tensor, change: Change) -> torch.Tensor:
    """A new tensor, no part of any graph, that has the elements of a change."""
    if change.way == "scale":
        # Integers stay integers, of which what stands behind the point is cut off.
        return (tensor.detach() * change.factor).to(tensor.dtype)
    new = tensor.detach().clone()
    bits = _elements(change, tensor)
    if change.way == "elements":
        # Whatever the strides: the positions count rows first.
        flat = new.reshape(-1).clone()
        flat[_positions(change, tensor)] = bits
        bits = flat
    # Cloned once more, so that it has no version but the first.
    return new.copy_(bits if change.way == "fill" else bits.reshape(new.shape)).clone()


def replaced_in_graph(tensor: torch.Tensor, change: Change) -> torch.Tensor:
    """The same, differentiable: what was not replaced still depends on what it depended on."""
    values = replaced(tensor, change)
    with torch.enable_grad():
        if change.way == "scale":
            return tensor * change.factor
        if change.way != "elements":
            return values
        is_new = torch.zeros(tensor.numel(), dtype=torch.bool, device=tensor.device)
        is_new[_positions(change, tensor)] = True
        return torch.where(is_new.reshape(tensor.shape), values, tensor)


def _positions(change: Change, tensor: torch.Tensor) -> torch.Tensor:
    return torch.tensor(change.positions, dtype=torch.int64, device=tensor.device)


def _elements(change: Change, tensor: torch.Tensor) -> torch.Tensor:
    data = bytearray.fromhex(change.bits)
    if not data:
        return torch.empty(0, dtype=tensor.dtype, device=tensor.device)
    return torch.frombuffer(data, dtype=tensor.dtype).to(tensor.device)
