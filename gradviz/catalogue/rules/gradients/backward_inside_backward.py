"""backward calls backward() on another graph."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

BACKWARD_INSIDE_BACKWARD = DoctorRule(
    id="GV213",
    code="backward_inside_backward",
    title="backward() inside backward",
    severity="warning",
    evidence=("source",),
    confidence="likely",
    summary="backward calls backward() on another graph.",
    why=(
        "backward() adds to .grad of every leaf that it reaches, such as the parameters of a "
        "module. torch.autograd.grad and gradcheck do not expect such a side effect, and the "
        "parameters get no gradient through the Function."
    ),
    remedy=(
        "Pass everything that needs a gradient as an argument of apply, and compute the gradients "
        "with torch.autograd.grad."
    ),
    messages={
        "finding.backward_inside_backward.source": (
            "{where} calls {text}, which adds to .grad of every leaf that it reaches, as a side "
            "effect. Compute the gradients with torch.autograd.grad and return them."
        ),
    },
    bad="""\
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        inner = x.detach().requires_grad_()
        with torch.enable_grad():
            y = inner.exp()
        y.backward(grad_output)
        return inner.grad


Exp.apply(x).sum().backward()
""",
    good="""\
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        inner = x.detach().requires_grad_()
        with torch.enable_grad():
            y = inner.exp()
        (grad,) = torch.autograd.grad(y, inner, grad_output)
        return grad


Exp.apply(x).sum().backward()
""",
)
