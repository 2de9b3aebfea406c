"""backward returns a gradient of another dtype than its input."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

SILENT_CAST = DoctorRule(
    id="GV205",
    code="silent_cast",
    title="Gradient cast by the engine",
    severity="warning",
    evidence=("run",),
    summary="backward returns a gradient of another dtype than its input.",
    why=(
        "The engine silently casts a gradient to the dtype of its input. Digits are lost "
        "where backward computed with less of them."
    ),
    remedy="Return the gradient in the dtype of the input.",
    messages={
        "finding.silent_cast": (
            "{where} returns a gradient of dtype {before} for {name}, which has dtype "
            "{after}: the engine silently casts it. Return it in the dtype of {name}."
        ),
    },
    bad="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output.float()


Twice.apply(x).sum().backward()
""",
    good="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


Twice.apply(x).sum().backward()
""",
)
