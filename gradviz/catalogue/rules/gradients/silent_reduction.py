"""backward returns a gradient that is larger than its input."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

SILENT_REDUCTION = DoctorRule(
    id="GV204",
    code="silent_reduction",
    title="Gradient summed by the engine",
    severity="warning",
    evidence=("run",),
    summary="backward returns a gradient that is larger than its input.",
    why=(
        "The engine silently sums a gradient that is larger than its input. That is what "
        "broadcasting needs, but it also hides a wrong shape."
    ),
    remedy="Sum over the broadcast dimensions in backward.",
    messages={
        "finding.silent_reduction": (
            "{where} returns a gradient of shape {before} for {name}, which has shape "
            "{after}: the engine silently sums it to that shape. Sum it in backward."
        ),
    },
    bad="""\
class Add(Function):
    @staticmethod
    def forward(ctx, a, b):
        return a + b

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.clone(), grad_output.clone()


Add.apply(x, torch.ones(1, dtype=x.dtype, requires_grad=True)).sum().backward()
""",
    good="""\
class Add(Function):
    @staticmethod
    def forward(ctx, a, b):
        return a + b

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.clone(), grad_output.sum().reshape(1)


Add.apply(x, torch.ones(1, dtype=x.dtype, requires_grad=True)).sum().backward()
""",
)
