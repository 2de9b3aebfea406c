"""A training loop with two groups of parameters, momentum and clipping."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(8, 3)
target = x.sum(1, keepdim=True)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(
    [
        {"params": model[0].parameters(), "lr": 0.1},
        {"params": model[2].parameters(), "lr": 0.01},
    ],
    momentum=0.9,
)
for _ in range(4):
    optimizer.zero_grad()
    loss = ((model(x) - target) ** 2).mean()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
