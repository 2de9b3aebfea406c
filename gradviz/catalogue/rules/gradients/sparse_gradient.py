"""backward returns a sparse gradient for a dense input."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

SPARSE_GRADIENT = DoctorRule(
    id="GV214",
    code="sparse_gradient",
    title="Sparse gradient for a dense input",
    severity="warning",
    evidence=("run",),
    summary="backward returns a sparse gradient for a dense input.",
    why=(
        "Most nodes and most optimizers cannot compute with a sparse gradient: it works only if "
        "the input is a leaf whose optimizer knows sparse gradients."
    ),
    remedy="Return a dense gradient, as grad.to_dense().",
    messages={
        "finding.sparse_gradient": (
            "{where} returns a sparse gradient for {name}, which is dense: most nodes and "
            "optimizers cannot compute with it. Return it dense, with to_dense()."
        ),
    },
    bad="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        return (2 * grad_output).to_sparse()


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
