"""backward changes a saved tensor in place."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

SAVED_MODIFIED_IN_BACKWARD = DoctorRule(
    id="GV306",
    code="saved_modified_in_backward",
    title="Saved tensor changed in backward",
    severity="warning",
    evidence=("source",),
    confidence="likely",
    summary="backward changes a saved tensor in place.",
    why=(
        "A saved tensor is the input or output itself, which other code still uses. It sees the "
        "change, and a second backward pass through the same graph raises an error or computes "
        "with the changed values."
    ),
    remedy="Compute a new tensor: x * 2 instead of x.mul_(2).",
    messages={
        "finding.saved_modified_in_backward.source": (
            "{where} changes the saved tensor {name} in place. A second backward pass, and other "
            "code that uses the same tensor, sees the changed values. Work on a copy."
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
        x *= 2
        return grad_output * x


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
        return grad_output * (x * 2)


Square.apply(x).sum().backward()
""",
)
