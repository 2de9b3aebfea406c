"""backward returns another number of gradients than forward has inputs."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

WRONG_GRADIENT_COUNT = DoctorRule(
    id="GV202",
    code="wrong_gradient_count",
    title="Wrong number of gradients",
    severity="error",
    evidence=(
        "torch",
        "source",
    ),
    summary="backward returns another number of gradients than forward has inputs.",
    why=(
        "backward returns one value for each input of forward, in the same order: torch "
        "matches them by position, and refuses another number of values."
    ),
    remedy=(
        "Count the parameters of forward without ctx, and return that many values; None where "
        "there is no gradient."
    ),
    messages={
        "finding.wrong_gradient_count": (
            "{where} returns {count} for {arguments}. Return one value for each input of "
            "forward, in order, and None where there is no gradient."
        ),
    },
    bad="""\
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor


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
