"""backward changes grad_output in place."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

GRAD_OUTPUT_MODIFIED = DoctorRule(
    id="GV301",
    code="grad_output_modified",
    title="grad_output changed in place",
    severity="error",
    evidence=(
        "run",
        "source",
    ),
    summary="backward changes grad_output in place.",
    why=(
        "The tensor that backward receives may be shared with another node, a hook, or the "
        "caller of backward. All of them would see the change."
    ),
    remedy="Compute a new tensor: grad_output * 2 instead of grad_output.mul_(2).",
    messages={
        "finding.grad_output_modified": (
            "{where} changes {name} in place. The engine may pass the same tensor to other "
            "nodes, which then receive the changed values. Work on a copy."
        ),
    },
    bad="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        grad_output *= 2
        return grad_output


(Twice.apply(x) * 3).sum().backward()
""",
    good="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 2


(Twice.apply(x) * 3).sum().backward()
""",
)
