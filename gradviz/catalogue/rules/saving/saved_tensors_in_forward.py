"""forward reads ctx.saved_tensors."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

SAVED_TENSORS_IN_FORWARD = DoctorRule(
    id="GV107",
    code="saved_tensors_in_forward",
    title="saved_tensors read in forward",
    severity="warning",
    evidence=("source",),
    summary="forward reads ctx.saved_tensors.",
    why=(
        "Torch takes over the saved tensors when forward has returned. Until then, "
        "ctx.saved_tensors is empty."
    ),
    remedy="Use the tensor itself.",
    messages={
        "finding.saved_tensors_in_forward.source": (
            "{where} reads ctx.saved_tensors, which is empty until {method} has returned. Use "
            "the tensors themselves."
        ),
        "finding.saved_tensors_in_forward.assigned": (
            "{where} assigns to ctx.saved_tensors, which torch refuses with an AttributeError. "
            "Save the tensors with ctx.save_for_backward."
        ),
    },
    bad="""\
class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x if len(ctx.saved_tensors) == 0 else x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output


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
        return 2 * x * grad_output


Square.apply(x).sum().backward()
""",
)
