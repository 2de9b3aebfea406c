"""backward computes with a gradient that may be None."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

UNDEFINED_GRADIENT_UNHANDLED = DoctorRule(
    id="GV210",
    code="undefined_gradient_unhandled",
    title="Undefined gradient not handled",
    severity="warning",
    evidence=("source",),
    confidence="likely",
    summary="After set_materialize_grads(False), backward does not handle a gradient of None.",
    why=(
        "After set_materialize_grads(False), the gradient of an output that is not used is None. "
        "Python raises an error as soon as backward computes with it."
    ),
    remedy="Test whether the gradient is None first; or leave out set_materialize_grads(False).",
    messages={
        "finding.undefined_gradient_unhandled.source": (
            "{where} computes with {name} without a test for None. After "
            "set_materialize_grads(False), {name} is None if its output is not used."
        ),
    },
    bad="""\
class SumAndProduct(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x + 1, x * 2

    @staticmethod
    def backward(ctx, grad_sum, grad_product):
        return grad_sum + 2 * grad_product


first, second = SumAndProduct.apply(x)
(first + second).sum().backward()
""",
    good="""\
class SumAndProduct(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x + 1, x * 2

    @staticmethod
    def backward(ctx, grad_sum, grad_product):
        if grad_sum is None:
            return None if grad_product is None else 2 * grad_product
        return grad_sum if grad_product is None else grad_sum + 2 * grad_product


first, second = SumAndProduct.apply(x)
(first + second).sum().backward()
""",
)
