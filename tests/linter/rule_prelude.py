"""What stands before the examples of the doctor's rules when they run."""

PRELUDE = """\
import torch
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable

x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)

"""
