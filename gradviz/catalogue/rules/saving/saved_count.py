"""backward reads another number of saved tensors than forward saves."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

SAVED_COUNT = DoctorRule(
    id="GV108",
    code="saved_count",
    title="Other number of saved tensors",
    severity="error",
    evidence=("source", "torch"),
    summary="backward reads another number of saved tensors than forward saves.",
    why=(
        "ctx.saved_tensors is a tuple of exactly the tensors in the last call of "
        "save_for_backward, in the same order. Python raises an error when more or fewer names "
        "unpack it."
    ),
    remedy="Unpack as many tensors as are saved, in the same order.",
    refusal="values to unpack|tuple index out of range",
    refusal_is_clear=False,
    messages={
        "finding.saved_count.source": (
            "{where} reads {count} saved tensors, but {function}.{saver} saves {saved}: Python "
            "raises an error. Save and unpack the same ones."
        ),
    },
    bad="""\
class Product(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output * b, grad_output * a


Product.apply(x, x.detach().clone().requires_grad_()).sum().backward()
""",
    good="""\
class Product(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output * b, grad_output * a


Product.apply(x, x.detach().clone().requires_grad_()).sum().backward()
""",
)
