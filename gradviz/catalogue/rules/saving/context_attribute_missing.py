"""backward reads an attribute of ctx that nothing has set."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

CONTEXT_ATTRIBUTE_MISSING = DoctorRule(
    id="GV109",
    code="context_attribute_missing",
    title="Attribute of ctx missing",
    severity="error",
    evidence=("torch", "source"),
    summary="backward reads an attribute of ctx that nothing has set.",
    why=(
        "ctx has only what forward or setup_context has stored there. It is not the class: "
        "attributes of the Function are not found on it."
    ),
    remedy=(
        "Store the value in forward, like ctx.factor = factor; or save a tensor with "
        "save_for_backward."
    ),
    refusal=r"'\w+Backward' object has no attribute '(?!_fwd_used_autocast|_dtype)",
    messages={
        "finding.context_attribute_missing.source": (
            "{where} reads ctx.{name}, which no method of {function} sets: Python raises an "
            "AttributeError. Store it in {saver}."
        ),
    },
    bad="""\
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor, None


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
