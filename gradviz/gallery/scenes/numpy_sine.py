"""The sine computed by NumPy, which autograd cannot see: backward is written by hand."""

import numpy as np
import torch
from torch.autograd import Function


class NumpySine(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.from_numpy(np.sin(x.detach().cpu().numpy())).to(x.device)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x.cos()
