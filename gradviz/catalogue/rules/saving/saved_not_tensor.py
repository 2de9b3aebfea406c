"""save_for_backward receives something that is not a tensor."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

SAVED_NOT_TENSOR = DoctorRule(
    id="GV106",
    code="saved_not_tensor",
    title="Saved value is not a tensor",
    severity="error",
    evidence=("torch",),
    summary="save_for_backward receives something that is not a tensor.",
    why=(
        "Saved tensors are checked for changes in place and freed with the graph. Neither "
        "makes sense for a number or another object, so torch refuses it."
    ),
    remedy="Store it as an attribute of ctx, like ctx.exponent = exponent.",
    refusal="save_for_backward can only save variables",
    bad="""\
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(factor)
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        (factor,) = ctx.saved_tensors
        return grad_output * factor, None


Scale.apply(x, 3.0).sum().backward()
""",
    good="""\
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor, None


Scale.apply(x, 3.0).sum().backward()
""",
)
