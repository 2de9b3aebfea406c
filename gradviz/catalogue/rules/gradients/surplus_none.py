"""backward returns more values than forward has inputs."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

SURPLUS_NONE = DoctorRule(
    id="GV207",
    code="surplus_none",
    title="Surplus None",
    severity="info",
    evidence=(
        "run",
        "source",
    ),
    summary="backward returns more values than forward has inputs.",
    why=(
        "Torch ignores additional Nones at the end. They often show that an input was "
        "removed, or that the gradients are not in the order of the inputs."
    ),
    remedy="Return exactly one value for each input of forward.",
    messages={
        "finding.surplus_none": (
            "{where} returns {count} for {arguments}: torch ignores additional Nones. Return "
            "one value for each input of forward."
        ),
    },
    bad="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output, None, None


Twice.apply(x).sum().backward()
""",
    good="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


Twice.apply(x).sum().backward()
""",
)
