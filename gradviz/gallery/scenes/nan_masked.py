"""torch.where leaves out the root of 0, but its backward multiplies an infinite slope by 0."""

import torch


def mask_the_root(x):
    root = x.sqrt()
    y = torch.where(x > 0, root, 0.0)
    y.sum().backward()
