"""forward returns tensors inside a list, dict or set."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

OUTPUTS_IN_CONTAINER = DoctorRule(
    id="GV406",
    code="outputs_in_container",
    title="Outputs inside a list",
    severity="error",
    evidence=(
        "run",
        "source",
    ),
    summary="forward returns tensors inside a list, dict or set.",
    why=(
        "autograd connects the tensors that forward returns, alone or in a tuple. It does not look "
        "inside other containers: tensors in there have no history, so nothing upstream learns."
    ),
    remedy="Return a tuple, and build the list outside of the Function.",
    messages={
        "finding.outputs_in_container.source": (
            "{where} returns a {kind} of tensors, which autograd does not connect to {function}: "
            "they have no history. Return a tuple."
        ),
        "finding.outputs_in_container": (
            "{where} returns tensors inside a {kind}, where autograd does not see them: they have "
            "no history, and no gradient flows through {function}. Return a tuple."
        ),
    },
    bad="""\
class TwoOutputs(Function):
    @staticmethod
    def forward(ctx, x):
        return [x + 1, x * 2]

    @staticmethod
    def backward(ctx, *grad_outputs):
        return grad_outputs[0] + 2 * grad_outputs[1]


TwoOutputs.apply(x)
""",
    good="""\
class TwoOutputs(Function):
    @staticmethod
    def forward(ctx, x):
        return x + 1, x * 2

    @staticmethod
    def backward(ctx, grad_first, grad_second):
        return grad_first + 2 * grad_second


sum(TwoOutputs.apply(x)).sum().backward()
""",
)
