"""An output without a gradient is not marked non-differentiable."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

UNMARKED_OUTPUT = DoctorRule(
    id="GV304",
    code="unmarked_output",
    title="Non-differentiable output not marked",
    severity="info",
    evidence=("run",),
    summary="An output without a gradient is not marked non-differentiable.",
    why=(
        "An output of an integer or bool dtype never has a gradient. backward still receives an "
        "argument for it, and ctx.mark_non_differentiable tells readers that it means nothing."
    ),
    remedy="Call ctx.mark_non_differentiable(output) in forward.",
    messages={
        "finding.unmarked_output": (
            "{where} returns output {position} of dtype {dtype}, which never has a gradient, but "
            "does not mark it. Call ctx.mark_non_differentiable."
        ),
    },
    bad="""\
class Sort(Function):
    @staticmethod
    def forward(ctx, x):
        values, order = x.sort()
        ctx.save_for_backward(order)
        return values, order

    @staticmethod
    def backward(ctx, grad_values, _):
        (order,) = ctx.saved_tensors
        return torch.zeros_like(grad_values).scatter(0, order, grad_values)


Sort.apply(x)
""",
    good="""\
class Sort(Function):
    @staticmethod
    def forward(ctx, x):
        values, order = x.sort()
        ctx.save_for_backward(order)
        ctx.mark_non_differentiable(order)
        return values, order

    @staticmethod
    def backward(ctx, grad_values, _):
        (order,) = ctx.saved_tensors
        return torch.zeros_like(grad_values).scatter(0, order, grad_values)


Sort.apply(x)
""",
)
