"""save_for_backward is called more than once on one path."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

SAVED_TWICE = DoctorRule(
    id="GV104",
    code="saved_twice",
    title="save_for_backward called twice",
    severity="warning",
    evidence=("source",),
    summary="save_for_backward is called more than once on one path.",
    why=(
        "Each call replaces what the call before has saved: backward then reads other tensors "
        "than it expects, and nothing is reported."
    ),
    remedy="Call ctx.save_for_backward once, with all tensors.",
    messages={
        "finding.saved_twice.source": (
            "{where} calls ctx.save_for_backward a second time: it replaces what was saved "
            "before. Save all tensors in one call."
        ),
    },
    bad="""\
class Product(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a)
        ctx.save_for_backward(b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        (b,) = ctx.saved_tensors
        return grad_output * b, grad_output * b


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
        return grad_output * b, grad_output * a


Product.apply(x, x.detach().clone().requires_grad_()).sum().backward()
""",
)
