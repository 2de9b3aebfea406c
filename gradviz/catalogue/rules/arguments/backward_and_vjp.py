"""A Function defines both backward and vjp."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

BACKWARD_AND_VJP = DoctorRule(
    id="GV404",
    code="backward_and_vjp",
    title="Both backward and vjp",
    severity="error",
    evidence=(
        "torch",
        "source",
    ),
    summary="A Function defines both backward and vjp.",
    why=(
        "vjp is another name for backward. Torch cannot know which of them is meant, so it "
        "refuses both."
    ),
    remedy="Define only one of them.",
    refusal="Implementing both 'backward' and 'vjp'",
    messages={
        "finding.backward_and_vjp.source": (
            "{where} is defined next to backward: torch refuses a Function that has both. Keep one."
        ),
    },
    bad="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output

    @staticmethod
    def vjp(ctx, grad_output):
        return 2 * grad_output


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
