"""What arrives at backward where there is no gradient: zeros, or None if one asks for it."""

from torch.autograd import Function


class MulConstant(Function):
    @staticmethod
    def forward(ctx, tensor, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return tensor * constant

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None
        return grad_output * ctx.constant, None


class MulConstantZeros(Function):
    """The same with torch's default: an undefined gradient arrives as zeros."""

    @staticmethod
    def forward(ctx, tensor, constant):
        ctx.constant = constant
        return tensor * constant

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.constant, None


class TwoMultiples(Function):
    """Two outputs; whoever uses only one of them leaves the other's gradient undefined."""

    @staticmethod
    def forward(ctx, tensor, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return tensor * constant, tensor * (constant * constant)

    @staticmethod
    def backward(ctx, grad_once, grad_twice):
        grad_tensor = None
        if grad_once is not None:
            grad_tensor = grad_once * ctx.constant
        if grad_twice is not None:
            part = grad_twice * (ctx.constant * ctx.constant)
            grad_tensor = part if grad_tensor is None else grad_tensor + part
        return grad_tensor, None


class Stop(Function):
    """Passes its input on, and no gradient back."""

    @staticmethod
    def forward(ctx, input):
        return input.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return None


def with_none(tensor, constant):
    product = MulConstant.apply(tensor, constant)
    stopped = Stop.apply(product)
    stopped.sum().backward()


def with_zeros(tensor, constant):
    product = MulConstantZeros.apply(tensor, constant)
    stopped = Stop.apply(product)
    stopped.sum().backward()


def with_one_unused(tensor, constant):
    once, twice = TwoMultiples.apply(tensor, constant)
    once.sum().backward()
    return twice
