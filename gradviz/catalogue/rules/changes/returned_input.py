"""forward returns one of its inputs itself."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

RETURNED_INPUT = DoctorRule(
    id="GV305",
    code="returned_input",
    title="Input returned unchanged",
    severity="info",
    evidence=("run",),
    summary="forward returns one of its inputs itself.",
    why=(
        "Torch returns a view of the input instead. A later change of the result in place raises "
        "an error, although the code that changes it does nothing wrong."
    ),
    remedy="Return a copy, as x.clone(); or say that it is a view, with x.view_as(x).",
    messages={
        "finding.returned_input": (
            "{where} returns its input {name} itself. Torch makes a view of it, and a change of "
            "the result in place raises an error. Return {name}.clone() or {name}.view_as({name})."
        ),
    },
    bad="""\
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return -grad_output


GradientReversal.apply(x).sum().backward()
""",
    good="""\
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return -grad_output


GradientReversal.apply(x).sum().backward()
""",
)
