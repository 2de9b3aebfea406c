"""backward leaves autograd, but is not declared once differentiable."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

MISSING_ONCE_DIFFERENTIABLE = DoctorRule(
    id="GV501",
    code="missing_once_differentiable",
    title="once_differentiable missing",
    severity="warning",
    evidence=("source",),
    confidence="likely",
    summary="backward leaves autograd, but is not declared once differentiable.",
    why=(
        "A second derivative differentiates backward itself. What backward computes on "
        "detached tensors, or in NumPy, counts as a constant there, and the second derivative "
        "is silently wrong."
    ),
    remedy=(
        "Decorate backward with @once_differentiable, below @staticmethod; then torch refuses "
        "a second derivative."
    ),
    messages={
        "finding.missing_once_differentiable.source": (
            "{where} leaves autograd with {text}: a second derivative treats the values as "
            "constants. Decorate backward with @once_differentiable."
        ),
    },
    bad="""\
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result.detach()


Exp.apply(x).sum().backward()
""",
    good="""\
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result.detach()


Exp.apply(x).sum().backward()
""",
)
