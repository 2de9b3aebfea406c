"""forward does not take ctx, and there is no setup_context."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

FORWARD_WITHOUT_CONTEXT = DoctorRule(
    id="GV411",
    code="forward_without_context",
    title="forward without ctx",
    severity="error",
    evidence=("source", "torch"),
    summary="forward does not take ctx, and there is no setup_context.",
    why=(
        "Without setup_context, torch passes ctx to forward before the inputs. The first parameter "
        "receives it, and one argument is too many."
    ),
    remedy="Write forward(ctx, ...); or define setup_context(ctx, inputs, output).",
    refusal=r"forward\(\) takes \d+ positional arguments? but",
    refusal_is_clear=False,
    messages={
        "finding.forward_without_context.source": (
            "{where} computes with its first parameter {name}, which receives ctx: torch passes "
            "ctx before the inputs. Write forward(ctx, ...), or define setup_context."
        ),
    },
    bad="""\
class Twice(Function):
    @staticmethod
    def forward(x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
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
