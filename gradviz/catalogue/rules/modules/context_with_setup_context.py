"""forward takes ctx although the Function defines setup_context."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

CONTEXT_WITH_SETUP_CONTEXT = DoctorRule(
    id="GV604",
    code="context_with_setup_context",
    title="ctx in forward beside setup_context",
    severity="error",
    evidence=("source", "torch"),
    summary="forward takes ctx although the Function defines setup_context.",
    why=(
        "With setup_context, torch calls forward with the inputs only. A parameter for ctx "
        "receives the first input, and one input is missing."
    ),
    remedy=("Remove ctx from forward, and fill it in setup_context(ctx, inputs, output)."),
    refusal="missing a required argument",
    refusal_is_clear=False,
    messages={
        "finding.context_with_setup_context.source": (
            "{where} takes {name}, but {function} defines setup_context: torch passes only the "
            "inputs. Remove {name} from forward."
        ),
    },
    bad="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


Twice.apply(x).sum().backward()
""",
    good="""\
class Twice(Function):
    @staticmethod
    def forward(x):
        return 2 * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


Twice.apply(x).sum().backward()
""",
)
