"""Copies of tensors with some elements replaced, bit for bit."""

from __future__ import annotations

import torch

from gradviz.model.changes import Change


def replaced(tensor: torch.Tensor, change: Change) -> torch.Tensor:
    """A new tensor outside of any graph, with the elements of a change."""
    if change.way == "scale":
        # Integers stay integers; their fractional part is cut off.
        return (tensor.detach() * change.factor).to(tensor.dtype)
    new = tensor.detach().clone()
    bits = _elements(change, tensor)
    if change.way == "elements":
        # Positions count in row-major order, whatever the strides.
        flat = new.reshape(-1).clone()
        flat[_positions(change, tensor)] = bits
        bits = flat
    # Cloned again, so that its version counter is at its first value.
    return new.copy_(bits if change.way == "fill" else bits.reshape(new.shape)).clone()


def replaced_in_graph(tensor: torch.Tensor, change: Change) -> torch.Tensor:
    """Differentiable replacement: elements that are not replaced keep their history."""
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
