"""once_differentiable decorates another method than backward."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

USELESS_ONCE_DIFFERENTIABLE = DoctorRule(
    id="GV502",
    code="useless_once_differentiable",
    title="once_differentiable without effect",
    severity="warning",
    evidence=("source",),
    summary="once_differentiable decorates another method than backward.",
    why=(
        "once_differentiable makes torch refuse to differentiate what it decorates. On "
        "forward it changes nothing, and a second derivative of backward may still be "
        "silently wrong."
    ),
    remedy="Decorate backward, below @staticmethod.",
    messages={
        "finding.useless_once_differentiable.source": (
            "{where} is decorated with once_differentiable, which has no effect there. "
            "Decorate backward."
        ),
    },
    bad="""\
class Twice(Function):
    @staticmethod
    @once_differentiable
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


Twice.apply(x).sum().backward()
""",
    good="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        return 2 * grad_output


Twice.apply(x).sum().backward()
""",
)
