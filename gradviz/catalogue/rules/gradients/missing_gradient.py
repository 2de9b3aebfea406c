"""backward returns None for an input that needs a gradient."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

MISSING_GRADIENT = DoctorRule(
    id="GV201",
    code="missing_gradient",
    title="Missing gradient",
    severity="warning",
    evidence=(
        "run",
        "source",
    ),
    summary="backward returns None for an input that needs a gradient.",
    why=(
        "autograd takes None for an input that the output does not depend on: no gradient "
        "reaches it, and nothing is reported. Parameters before it are not trained."
    ),
    remedy=("Return the gradient of each input for which ctx.needs_input_grad is True."),
    messages={
        "finding.missing_gradient": (
            "{where} returns None for {name}, which needs a gradient: no gradient reaches "
            "{name} through {function}. Return its gradient if it has one."
        ),
        "finding.missing_gradient.asked": (
            "{where} returns None for {name}, although {method} asks for "
            "ctx.needs_input_grad[{index}]: no gradient reaches {name} through {function}. Return "
            "its gradient."
        ),
        "finding.missing_gradient.computed": (
            "{where} returns None for {name}, and {method} never uses {value}, which it computes: "
            "no gradient reaches {name} through {function}. Return {value} if it is that gradient."
        ),
    },
    bad="""\
class Product(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        (b,) = ctx.saved_tensors
        return grad_output * b, None


Product.apply(x, x.detach().clone().requires_grad_()).sum().backward()
""",
    good="""\
class Product(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output * b, grad_output * a


Product.apply(x, x.detach().clone().requires_grad_()).sum().backward()
""",
)
