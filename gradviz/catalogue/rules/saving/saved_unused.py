"""backward never reads a tensor that forward has saved."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

SAVED_UNUSED = DoctorRule(
    id="GV105",
    code="saved_unused",
    title="Saved tensor not used",
    severity="info",
    evidence=("source",),
    summary="backward never reads a tensor that forward has saved.",
    why=(
        "A saved tensor stays in memory until backward has run. One that backward does not "
        "read costs memory for nothing, and often shows that a term of the gradient is "
        "missing."
    ),
    remedy="Save only what backward reads.",
    messages={
        "finding.saved_unused.source": (
            "{where} saves tensors, but {function}.{reader} never reads ctx.saved_tensors. "
            "Save only what it reads."
        ),
        "finding.saved_unused.source.name": (
            "{where} unpacks {name} from ctx.saved_tensors and never uses it. Save only what "
            "is used."
        ),
    },
    bad="""\
class Shift(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x + 1

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output.clone()


Shift.apply(x).sum().backward()
""",
    good="""\
class Shift(Function):
    @staticmethod
    def forward(ctx, x):
        return x + 1

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.clone()


Shift.apply(x).sum().backward()
""",
)
