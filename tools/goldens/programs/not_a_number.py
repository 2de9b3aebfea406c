"""The gradient of a norm at zero is NaN, and reaches the parameters."""

import torch

weight = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
optimizer = torch.optim.Adam([weight], lr=0.1)
for x in (torch.ones(2), torch.zeros(2)):
    optimizer.zero_grad()
    length = (weight @ x).square().sum().sqrt()
    length.backward()
    optimizer.step()
