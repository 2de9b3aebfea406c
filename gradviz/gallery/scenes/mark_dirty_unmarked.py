"""A Function that doubles its input in place and does not say so: the old name is wrong."""

from torch.autograd import Function


class Double(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


# The old name has the doubled numbers, and a history that knows nothing of it.
def through_the_old_name(w):
    x = w.clone()
    y = Double.apply(x)
    print(f"the result is the input itself: {y is x}")
    x.sum().backward()
