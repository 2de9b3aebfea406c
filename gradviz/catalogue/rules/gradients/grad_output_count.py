"""backward takes another number of gradients than forward has outputs."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

GRAD_OUTPUT_COUNT = DoctorRule(
    id="GV211",
    code="grad_output_count",
    title="Wrong number of parameters of backward",
    severity="error",
    evidence=("torch", "source"),
    summary="backward takes another number of gradients than forward has outputs.",
    why=(
        "backward receives ctx and one gradient for each output of forward, also for those without "
        "a gradient."
    ),
    remedy="Give backward one parameter for each output, after ctx.",
    refusal=r"backward\(\) (takes \d+ positional|missing \d+ required positional)",
    messages={
        "finding.grad_output_count.source": (
            "{where} takes {count} of the {outputs} gradients that torch passes, one for each "
            "output of forward: Python raises a TypeError. Give it one parameter for each output, "
            "after ctx."
        ),
    },
    bad="""\
class SumAndProduct(Function):
    @staticmethod
    def forward(ctx, x):
        return x + 1, x * 2

    @staticmethod
    def backward(ctx, grad_sum):
        return grad_sum * 3


first, second = SumAndProduct.apply(x)
(first + second).sum().backward()
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
