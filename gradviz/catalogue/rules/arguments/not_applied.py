"""A Function is called in another way than by apply."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

NOT_APPLIED = DoctorRule(
    id="GV410",
    code="not_applied",
    title="Function called without apply",
    severity="error",
    evidence=("source",),
    summary="A Function is called in another way than by apply.",
    why=(
        "Only apply connects the outputs to backward. Torch refuses to call an instance, and "
        "forward alone computes without the Function's backward."
    ),
    remedy="Call Function.apply(...).",
    messages={
        "finding.not_applied.instance": (
            "{function} is called as an instance (line {line}), which torch refuses. Call "
            "{function}.apply."
        ),
        "finding.not_applied.forward": (
            "{where} is called directly (line {line}), so autograd does not use "
            "{function}.backward. Call {function}.apply."
        ),
    },
    bad="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


(Twice.apply(x) + Twice.forward(None, x)).sum().backward()
""",
    good="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


(Twice.apply(x) + Twice.apply(x)).sum().backward()
""",
)
