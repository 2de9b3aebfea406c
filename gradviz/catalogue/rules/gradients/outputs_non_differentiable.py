"""forward marks all of its outputs as non-differentiable, although backward computes a gradient."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

OUTPUTS_NON_DIFFERENTIABLE = DoctorRule(
    id="GV215",
    code="outputs_non_differentiable",
    title="No differentiable output",
    severity="warning",
    evidence=("source",),
    summary=("All outputs are marked as non-differentiable, although backward returns a gradient."),
    why=(
        "An output that is marked with mark_non_differentiable has no node. If all are, backward "
        "never runs, and the inputs get no gradient through this Function, without an error."
    ),
    remedy=(
        "Mark only outputs that have no gradient, such as indices. If that is all of them, return "
        "None for each input."
    ),
    messages={
        "finding.outputs_non_differentiable.source": (
            "{where} marks everything that {function} returns as non-differentiable (line {line}), "
            "so {function}.backward never runs and the inputs get no gradient."
        ),
    },
    bad="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        y = 2 * x
        ctx.mark_non_differentiable(y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


(Twice.apply(x) * x).sum().backward()
""",
    good="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


(Twice.apply(x) * x).sum().backward()
""",
)
