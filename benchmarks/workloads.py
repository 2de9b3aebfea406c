"""The workloads W1 to W8 and E3 to E5: models of which one training step is recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

Step = Callable[[], Any]
"""Callable that runs forward and backward once."""


class Linear(torch.autograd.Function):
    """``y = x @ w.T + b`` with a hand-written backward and a separate ``setup_context``."""

    @staticmethod
    def forward(x, weight, bias):
        """Returns ``x @ weight.T + bias``."""
        return x @ weight.t() + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Saves the tensors that backward needs."""
        ctx.save_for_backward(inputs[0], inputs[1])

    @staticmethod
    def backward(ctx, grad_output):
        """Returns the gradients of x, weight and bias."""
        x, weight = ctx.saved_tensors
        return grad_output @ weight, grad_output.t() @ x, grad_output.sum(0)


def _step_of(model: nn.Module, *inputs: torch.Tensor) -> Step:
    model.train()

    def step() -> None:
        model.zero_grad(set_to_none=True)
        model(*inputs).sum().backward()

    return step


def w1() -> Step:
    """Builds a custom linear Function followed by a sum: 5 nodes."""
    x, weight = torch.randn(4, 3, requires_grad=True), torch.randn(2, 3, requires_grad=True)
    bias = torch.randn(2, requires_grad=True)

    def step() -> None:
        x.grad = weight.grad = bias.grad = None
        Linear.apply(x, weight, bias).sum().backward()

    return step


def w2() -> Step:
    """Builds a 3-layer perceptron."""
    layers = [nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 4)]
    return _step_of(nn.Sequential(*layers), torch.randn(5, 8))


class Bottleneck(nn.Module):
    """ResNet's bottleneck: three convolutions with a shortcut around them (arXiv:1512.03385)."""

    def __init__(self, width_in: int, width: int, stride: int) -> None:
        super().__init__()
        widths = ((width_in, width, 1, 1), (width, width, 3, stride), (width, 4 * width, 1, 1))
        self.convolutions = nn.ModuleList(
            nn.Sequential(nn.Conv2d(a, b, size, step, size // 2, bias=False), nn.BatchNorm2d(b))
            for a, b, size, step in widths
        )
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or width_in != 4 * width:
            self.shortcut = nn.Sequential(
                nn.Conv2d(width_in, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width)
            )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Runs the block on ``[B, C, H, W]``."""
        kept = self.shortcut(x)
        for number, convolution in enumerate(self.convolutions):
            x = convolution(x)
            x = torch.relu(x if number < 2 else x + kept)
        return x


def w3() -> Step:
    """Builds a network like ResNet-50, batch size 1, 64x64 pixels."""
    layers: list[nn.Module] = [
        nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)
    ]  # fmt: skip
    width_in = 64
    for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            layers.append(Bottleneck(width_in, width, stride if block == 0 else 1))
            width_in = 4 * width
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width_in, 10)]
    return _step_of(nn.Sequential(*layers), torch.randn(1, 3, 64, 64))


def w4() -> Step:
    """Builds a 12-layer transformer encoder, width 256, sequence length 64."""
    layer = nn.TransformerEncoderLayer(256, 8, 512, batch_first=True)
    encoder = nn.TransformerEncoder(layer, 12, enable_nested_tensor=False)
    return _step_of(encoder, torch.randn(1, 64, 256))


def encoder(layers: int) -> Step:
    """Builds a narrow transformer encoder with 74 nodes for each layer: E3 (1,000) to E5."""
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    model = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
    return _step_of(model, torch.randn(1, 4, 16))


def chain(length: int) -> Step:
    """Builds W5 (2,000) or W6 (10,000): a chain of element-wise ops."""
    x = torch.randn(4, requires_grad=True)

    def step() -> None:
        x.grad = None
        y = x
        for _ in range(length):
            y = y * 1.0001
        y.sum().backward()

    return step


def w7() -> Step:
    """Builds 1,000 parallel branches summed in a tree."""
    x = torch.randn(4, requires_grad=True)

    def step() -> None:
        x.grad = None
        ends = [(x * 1.5).sin() for _ in range(1000)]
        while len(ends) > 1:
            pairs = zip(ends[::2], ends[1::2], strict=False)
            ends = [a + b for a, b in pairs] + (ends[-1:] if len(ends) % 2 else [])
        ends[0].sum().backward()

    return step


def w8() -> Step:
    """Builds a recurrent network of 300 steps that share one weight."""
    weight = torch.randn(8, 8, requires_grad=True)
    x = torch.randn(300, 8)

    def step() -> None:
        weight.grad = None
        state = torch.zeros(8)
        for row in x:
            state = torch.tanh((state @ weight.t() + row) * 0.9)
        state.sum().backward()

    return step


def training_step() -> Step:
    """Builds a training step of the perceptron: loss, backward and an update by SGD."""
    layers = [nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 4)]
    model, inputs, targets = nn.Sequential(*layers), torch.randn(5, 8), torch.randn(5, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def step() -> None:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()

    return step


WORKLOADS: dict[str, Callable[[], Step]] = {
    "W1": w1,
    "W2": w2,
    "W3": w3,
    "W4": w4,
    "W5": lambda: chain(2_000),
    "W6": lambda: chain(10_000),
    "W7": w7,
    "W8": w8,
    "E3": lambda: encoder(14),
    "E4": lambda: encoder(135),
    "E5": lambda: encoder(1_351),
}
