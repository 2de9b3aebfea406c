"""Layers in a plain list get gradients, but no optimizer knows their parameters."""

import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = nn.Parameter(torch.tensor(factor))

    def forward(self, x):
        return self.factor * x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [Scale(2.0), Scale(3.0)]
        self.last = Scale(4.0)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.last(x)


def train_once(x):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
    net(x).backward()
    optimizer.step()
