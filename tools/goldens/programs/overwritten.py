"""A saved tensor is overwritten before backward, which torch refuses."""

import torch

state = torch.linspace(0.1, 0.6, 6).reshape(3, 2).requires_grad_().clone()
outputs = []
for row in range(3):
    outputs.append(state[row].tanh())
    state[row].mul_(0.5)
    outputs.append(state[row].cos())
state.add_(1.0)
torch.stack(outputs).sum().backward()
