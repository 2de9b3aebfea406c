"""A Function that doubles its input in place, and says so by mark_dirty."""

from torch.autograd import Function


class Double(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


# In place on a leaf that requires a gradient is an error, so it works on a copy.
def through_the_old_name(w):
    x = w.clone()
    y = Double.apply(x)
    print(f"the result is the input itself: {y is x}")
    x.sum().backward()
