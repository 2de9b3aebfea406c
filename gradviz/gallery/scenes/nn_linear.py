"""A module around a Function: parameters and buffers are registered, an option is None."""

import torch
from torch import nn
from torch.autograd import Function


class LinearFunction(Function):
    @staticmethod
    def forward(input, weight, bias):
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight, bias)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


class Linear(nn.Module):
    def __init__(self, input_features, output_features, bias=True):
        super().__init__()
        self.input_features = input_features
        self.output_features = output_features
        self.weight = nn.Parameter(torch.empty(output_features, input_features))
        if bias:
            self.bias = nn.Parameter(torch.empty(output_features))
        else:
            self.register_parameter("bias", None)
        nn.init.uniform_(self.weight, -0.1, 0.1)
        if self.bias is not None:
            nn.init.uniform_(self.bias, -0.1, 0.1)

    def forward(self, input):
        return LinearFunction.apply(input, self.weight, self.bias)

    def extra_repr(self):
        return (
            f"input_features={self.input_features}, output_features={self.output_features}, "
            f"bias={self.bias is not None}"
        )


class Network(nn.Module):
    """One layer, a buffer, and a parameter in a list, of which the module knows nothing."""

    def __init__(self, bias):
        super().__init__()
        self.linear = Linear(3, 2, bias)
        self.register_buffer("mean", torch.ones(3))
        self.gain = [nn.Parameter(torch.ones(2))]

    def forward(self, input):
        gain = self.gain[0].to(input)
        return self.linear(input - self.mean) * gain


@torch.no_grad()
def fill(layer):
    """Give a layer whole numbers, which are easier to follow than random ones."""
    layer.weight.copy_(torch.arange(6).view(2, 3))
    if layer.bias is not None:
        layer.bias.copy_(torch.tensor([1, 2]))


def run(input, bias):
    network = Network(bias)
    fill(network.linear)
    network.to(input.device, input.dtype)
    print(network)
    print("parameters:", [name for name, _ in network.named_parameters()])
    print("buffers:", [name for name, _ in network.named_buffers()])
    print("the forgotten one is", network.gain[0].dtype)
    network(input).sum().backward()
