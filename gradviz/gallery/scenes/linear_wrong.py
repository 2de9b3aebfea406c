"""The linear layer with a mistake: the gradient of ``weight`` lacks a transpose.

It should be inputᵀ · dL/d(output). With a square input the shapes fit all the same, so nothing
complains; only comparing with a numerical gradient shows that the numbers are wrong.
"""

from torch.autograd import Function


class LinearFunction(Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight)
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        print(f"output:\n{output}")
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight.t())
        if ctx.needs_input_grad[1]:
            grad_weight = input.mm(grad_output)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        print(f"grad_output:\n{grad_output}")
        print(f"grad_input:\n{grad_input}")
        print(f"grad_weight:\n{grad_weight}")
        print(f"grad_bias:\n{grad_bias}")
        return grad_input, grad_weight, grad_bias
