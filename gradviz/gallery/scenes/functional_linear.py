"""A linear layer by broadcasting, whose gradients autograd still has to sum over the batch.

``backward`` returns a gradient of ``weight`` for each row of the batch, of shape [B, O, I], where
``weight`` is [O, I]; autograd sums it to that shape without a word. The same happens to ``bias``.
"""

from torch.autograd import Function
from torch.autograd.function import once_differentiable


class FunctionalLinear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias=None):
        ctx.save_for_backward(x, weight, bias)
        y = (weight[None] * x[:, None]).sum(-1)
        if bias is not None:
            y = y + bias[None]
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        x, weight, bias = ctx.saved_tensors
        grad_x = (grad_output[:, :, None] * weight[None]).sum(1)
        grad_weight = grad_output[:, :, None] * x[:, None]
        grad_bias = None if bias is None else grad_output.detach().clone()
        return grad_x, grad_weight, grad_bias
