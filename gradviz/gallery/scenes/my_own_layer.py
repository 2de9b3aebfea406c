"""A layer of one's own around a Function, trained for a few steps beside ``nn.Linear``."""

import math

import torch
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class FunctionalLinear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        output = (weight[None] * x[:, None]).sum(-1)
        if bias is not None:
            output = output + bias
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        x, weight, bias = ctx.saved_tensors
        grad_x = (grad_output[:, :, None] * weight[None]).sum(1)
        grad_weight = grad_output[:, :, None] * x[:, None]
        grad_bias = None if bias is None else grad_output.detach().clone()
        return grad_x, grad_weight, grad_bias


class MyOwnLayer(nn.Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = nn.Parameter(torch.empty(out_features, in_features))
        if bias:
            self.bias = nn.Parameter(torch.empty(out_features))
        else:
            self.register_parameter("bias", None)
        self.functional_linear = FunctionalLinear.apply
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features)
            nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, x):
        return self.functional_linear(x, self.weight, self.bias)

    def extra_repr(self):
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class Network(nn.Module):
    """One layer between ordinary ops, which autograd differentiates by itself."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return torch.tanh(self.layer(x * 0.5))


def train(network, x, target, steps):
    optimizer = torch.optim.SGD(network.parameters(), lr=0.5)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (network(x) - target).pow(2).mean()
        loss.backward()
        optimizer.step()
        print(f"loss {loss.item():.6f}")


def with_my_own_layer(x, target, bias, steps):
    layer = MyOwnLayer(3, 2, bias=bias).to(x.device, x.dtype)
    print(layer)
    train(Network(layer), x, target, steps)


def with_torch(x, target, bias, steps):
    """``nn.Linear`` draws its initial values in the same way, so from one seed they are equal."""
    layer = nn.Linear(3, 2, bias=bias).to(x.device, x.dtype)
    print(layer)
    train(Network(layer), x, target, steps)
