"""backward never reads grad_output."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

GRAD_OUTPUT_UNUSED = DoctorRule(
    id="GV208",
    code="grad_output_unused",
    title="grad_output not used",
    severity="warning",
    evidence=("source",),
    confidence="likely",
    summary="backward never reads grad_output.",
    why=(
        "backward computes a product with the incoming gradient. Without it, the result is "
        "right only if every incoming gradient is 1, as it is after a sum."
    ),
    remedy="Multiply by grad_output.",
    messages={
        "finding.grad_output_unused.source": (
            "{where} never uses {name}: its result is right only if every incoming gradient "
            "is 1. Multiply by {name}."
        ),
    },
    bad="""\
class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x


Square.apply(x).sum().backward()
""",
    good="""\
class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output


Square.apply(x).sum().backward()
""",
)
