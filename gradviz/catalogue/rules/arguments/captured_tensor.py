"""forward uses a tensor that requires grad and is not an argument."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

CAPTURED_TENSOR = DoctorRule(
    id="GV405",
    code="captured_tensor",
    title="Tensor captured by forward",
    severity="warning",
    evidence=("run",),
    summary="forward uses a tensor that requires grad and is not an argument.",
    why=(
        "autograd sees only the arguments of apply. A weight that forward takes from a closure, "
        "a global variable or an object is a constant for it."
    ),
    remedy="Pass the tensor as an argument of apply, and return its gradient from backward.",
    messages={
        "finding.captured_tensor.shape": "a tensor of shape {shape}",
        "finding.captured_tensor": (
            "{where} uses {name}, which requires grad and is not an argument of apply: no gradient "
            "reaches it through {function}. Pass it as an argument."
        ),
    },
    bad="""\
weight = torch.ones(2, dtype=torch.float64, requires_grad=True)


class Scale(Function):
    @staticmethod
    def forward(ctx, x):
        return x * weight

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * weight.detach()


Scale.apply(x).sum().backward()
""",
    good="""\
weight = torch.ones(2, dtype=torch.float64, requires_grad=True)


class Scale(Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x * weight

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        return grad_output * weight, grad_output * x


Scale.apply(x, weight).sum().backward()
""",
)
