"""backward asks whether an input needs a gradient that forward does not have."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

NEEDS_INPUT_GRAD_INDEX = DoctorRule(
    id="GV212",
    code="needs_input_grad_index",
    title="Index beyond the inputs",
    severity="error",
    evidence=("source", "torch"),
    summary=("backward asks whether an input needs a gradient that forward does not have."),
    why=(
        "ctx.needs_input_grad has one entry for each input of forward, counted from 0 without ctx."
    ),
    remedy="Count the inputs of forward from 0, without ctx.",
    refusal="tuple index out of range",
    refusal_is_clear=False,
    messages={
        "finding.needs_input_grad_index.source": (
            "{where} reads ctx.needs_input_grad[{index}], but it has one entry for {arguments}, "
            "counted from 0: Python raises an IndexError."
        ),
    },
    bad="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output if ctx.needs_input_grad[1] else None


Twice.apply(x).sum().backward()
""",
    good="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output if ctx.needs_input_grad[0] else None


Twice.apply(x).sum().backward()
""",
)
