"""backward computes a gradient that nothing needs."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

WASTED_GRADIENT = DoctorRule(
    id="GV206",
    code="wasted_gradient",
    title="Unneeded gradient",
    severity="info",
    evidence=("run",),
    summary="backward computes a gradient that nothing needs.",
    why=(
        "A gradient for an input that does not need one is discarded, and the time to compute "
        "it is wasted."
    ),
    remedy="Compute each gradient only if its ctx.needs_input_grad[i] is True.",
    messages={
        "finding.wasted_gradient": (
            "{where} returns a gradient for {name}, which does not need one: it is discarded. "
            "Check ctx.needs_input_grad[{index}] before computing it."
        ),
    },
    bad="""\
class Product(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output * b, grad_output * a


Product.apply(x, x.detach()).sum().backward()
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
        grad_a = grad_output * b if ctx.needs_input_grad[0] else None
        grad_b = grad_output * a if ctx.needs_input_grad[1] else None
        return grad_a, grad_b


Product.apply(x, x.detach()).sum().backward()
""",
)
