"""backward returns something that cannot be the gradient of its input."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

INVALID_GRADIENT = DoctorRule(
    id="GV203",
    code="invalid_gradient",
    title="Invalid gradient",
    severity="error",
    evidence=("torch",),
    summary="backward returns something that cannot be the gradient of its input.",
    why=(
        "A gradient is a tensor that can be summed to the shape of its input, or None. Torch "
        "refuses anything else."
    ),
    remedy="Return a tensor with the shape of the input, or None.",
    messages={
        "finding.invalid_gradient": (
            "{where} returns a gradient of shape {before} for {name}, which has shape "
            "{after}: the engine cannot sum it to that shape. Return a gradient with the "
            "shape of {name}."
        ),
        "finding.invalid_gradient.object": (
            "{where} returns {text} for {name}: a gradient must be a tensor or None."
        ),
        "finding.invalid_gradient.not_tensor": (
            "{where} returns a gradient for {name}, which is not a tensor. Return None for it."
        ),
    },
    bad="""\
class Total(Function):
    @staticmethod
    def forward(ctx, x):
        return x.sum()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.expand(7)


Total.apply(x).backward()
""",
    good="""\
class Total(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.shape = x.shape
        return x.sum()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.expand(ctx.shape)


Total.apply(x).backward()
""",
)
