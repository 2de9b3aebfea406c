"""A tensor is stored as an attribute of ctx."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

TENSOR_ON_CTX = DoctorRule(
    id="GV101",
    code="tensor_on_ctx",
    title="Tensor stored on ctx",
    severity="warning",
    evidence=(
        "run",
        "source",
    ),
    summary="A tensor is stored as an attribute of ctx.",
    why=(
        "A saved tensor is freed after backward, and a change in place is detected. Neither "
        "is true of an attribute of ctx: it may stay in memory, or hold other values by the "
        "time backward reads it."
    ),
    remedy=("Pass the tensor to ctx.save_for_backward, and read it from ctx.saved_tensors."),
    messages={
        "finding.tensor_on_ctx": (
            "{where} stores a tensor as ctx.{name}: it is not freed with the saved tensors, "
            "and changes in place go undetected. Save it with ctx.save_for_backward."
        ),
        "finding.tensor_on_ctx.parameter": (
            "{where} keeps parameters of a module as ctx.{name}. The module keeps them in memory "
            "anyway, but a change in place before backward, as by an optimizer, goes undetected. "
            "ctx.save_for_backward detects it."
        ),
    },
    bad="""\
class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * ctx.x * grad_output


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
