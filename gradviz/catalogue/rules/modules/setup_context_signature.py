"""setup_context takes other arguments than those that torch passes."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

SETUP_CONTEXT_SIGNATURE = DoctorRule(
    id="GV606",
    code="setup_context_signature",
    title="Wrong arguments of setup_context",
    severity="error",
    evidence=("torch", "source"),
    summary="setup_context takes other arguments than the context, the inputs and the output.",
    why=(
        "Torch calls setup_context(ctx, inputs, output) by position: inputs is the tuple of all "
        "arguments of apply, output is what forward returned. With another number of parameters, "
        "torch raises. With other names, each one silently receives a different value."
    ),
    remedy="Write setup_context(ctx, inputs, output), and unpack inputs in its body.",
    refusal=r"setup_context\(\) (takes|missing)",
    messages={
        "finding.setup_context_signature.count": (
            "{where} cannot take the three arguments that torch passes: the context, the tuple of "
            "inputs, and the output. Write setup_context(ctx, inputs, output)."
        ),
        "finding.setup_context_signature.names": (
            "{where} receives the tuple of inputs as {first} and the output as {second}, whatever "
            "the names say. Write setup_context(ctx, inputs, output)."
        ),
    },
    bad="""\
class Scale(Function):
    @staticmethod
    def forward(x, factor):
        return factor * x

    @staticmethod
    def setup_context(ctx, x, factor, output):
        ctx.factor = factor

    @staticmethod
    def backward(ctx, grad_output):
        return ctx.factor * grad_output, None


Scale.apply(x, 2.0).sum().backward()
""",
    good="""\
class Scale(Function):
    @staticmethod
    def forward(x, factor):
        return factor * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.factor = inputs

    @staticmethod
    def backward(ctx, grad_output):
        return ctx.factor * grad_output, None


Scale.apply(x, 2.0).sum().backward()
""",
)
