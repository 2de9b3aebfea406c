"""forward returns one of its inputs, or a view of it."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

RETURNED_INPUT = DoctorRule(
    id="GV305",
    code="returned_input",
    title="Input returned without a copy",
    severity="info",
    evidence=(
        "run",
        "source",
    ),
    summary="forward returns one of its inputs, or a view of it.",
    why=(
        "The result is a view of the input, as torch makes one of a returned input too. A later "
        "change of the result in place raises an error, although the code that changes it does "
        "nothing wrong; a change of the input changes the result. A forward that does nothing but "
        "return its inputs is meant so, and not reported."
    ),
    remedy="Return a copy, as x.clone(); or say that it is a view, with x.view_as(x).",
    messages={
        "finding.returned_input": (
            "{where} returns its input {name} itself. Torch makes a view of it, and a change of "
            "the result in place raises an error. Return {name}.clone() or {name}.view_as({name})."
        ),
        "finding.returned_input.view": (
            "{where} returns a view of its input {name}. A change of the result in place raises "
            "an error, and a change of {name} in place changes the result. Return a copy, made "
            "with .clone()."
        ),
    },
    refusal="created inside a custom Function",
    bad="""\
class Relu(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x if x.min() >= 0 else x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (x > 0)


Relu.apply(x).sum().backward()
""",
    good="""\
class Relu(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clone() if x.min() >= 0 else x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (x > 0)


Relu.apply(x).sum().backward()
""",
)
