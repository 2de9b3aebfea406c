"""backward receives an undefined gradient."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

UNDEFINED_GRADIENT = DoctorRule(
    id="GV209",
    code="undefined_gradient",
    title="Undefined gradient",
    severity="info",
    evidence=("run",),
    summary="backward receives an undefined gradient.",
    why=(
        "An output that is not used, or whose user returned None, has an undefined gradient. "
        "Torch then passes zeros to backward. After set_materialize_grads(False), it passes "
        "None, and backward must handle it."
    ),
    remedy=("With set_materialize_grads(False), check whether the gradient is None first."),
    cases={
        "undefined_gradient_none": "Undefined gradient is None",
        "undefined_gradient_marked": "Gradient of a non-differentiable output",
    },
    # To handle None, and to mark an output, is what the rule asks for.
    notes=("undefined_gradient_none", "undefined_gradient_marked"),
    messages={
        "finding.undefined_gradient.zeros": (
            "{where} receives an undefined gradient for {name}: torch materializes it as zeros."
        ),
        "finding.undefined_gradient.marked": (
            "In {where}, {name} belongs to an output that is non-differentiable: torch "
            "materializes it as zeros."
        ),
        "finding.undefined_gradient.none": (
            "{where} receives None for {name}, because the gradient is undefined and "
            "set_materialize_grads(False) is set. Handle None in backward."
        ),
    },
    bad="""\
class SumAndProduct(Function):
    @staticmethod
    def forward(ctx, x):
        return x + 1, x * 2

    @staticmethod
    def backward(ctx, grad_sum, grad_product):
        return grad_sum + 2 * grad_product


SumAndProduct.apply(x)[0].sum().backward()
""",
    good="""\
class SumAndProduct(Function):
    @staticmethod
    def forward(ctx, x):
        return x + 1, x * 2

    @staticmethod
    def backward(ctx, grad_sum, grad_product):
        return grad_sum + 2 * grad_product


first, second = SumAndProduct.apply(x)
(first + second).sum().backward()
""",
)
