"""Sorting: the sorted values have a gradient, their positions have none."""

import torch
from torch.autograd import Function


class Sort(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = x.sort()
        ctx.mark_non_differentiable(indices)
        ctx.save_for_backward(indices)
        return values, indices

    @staticmethod
    def backward(ctx, grad_values, grad_indices):
        (indices,) = ctx.saved_tensors
        grad_x = torch.zeros_like(grad_values)
        grad_x[indices] = grad_values
        return grad_x


def weigh(x):
    values, indices = Sort.apply(x)
    print(f"indices: {indices}")
    factors = torch.tensor([1, 10, 100], dtype=values.dtype, device=values.device)
    (values * factors).sum().backward()
