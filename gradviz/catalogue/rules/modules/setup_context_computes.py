"""setup_context computes a tensor."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

SETUP_CONTEXT_COMPUTES = DoctorRule(
    id="GV601",
    code="setup_context_computes",
    title="setup_context computes",
    severity="info",
    evidence=("source",),
    summary="setup_context computes a tensor.",
    why=(
        "setup_context keeps ctx out of forward, so that other torch transforms can use the "
        "Function. Anything that setup_context computes is lost to them."
    ),
    remedy="Return the value from forward, and save it in setup_context.",
    messages={
        "finding.setup_context_computes.source": (
            "{where} saves {text}, which it computes itself. Compute it in forward or in backward."
        ),
    },
    bad="""\
class Cube(Function):
    @staticmethod
    def forward(x):
        return x * x * x

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (slope,) = ctx.saved_tensors
        return grad_output * slope

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(3 * x * x)


Cube.apply(x).sum().backward()
""",
    good="""\
class Cube(Function):
    @staticmethod
    def forward(x):
        return x * x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 3 * x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(x)


Cube.apply(x).sum().backward()
""",
)
