"""An input is marked as dirty but not returned."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

DIRTY_NOT_RETURNED = DoctorRule(
    id="GV303",
    code="dirty_not_returned",
    title="Dirty input not returned",
    severity="error",
    evidence=("torch",),
    summary="An input is marked as dirty but not returned.",
    why=(
        "The new history of an input that forward changed in place belongs to the Function's "
        "output, so torch requires the input itself among the outputs."
    ),
    remedy=("Return the input that was changed; or do not mark one that is unchanged."),
    refusal="marked as dirty during the forward method were not returned",
    bad="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


Twice.apply(x.clone()).sum().backward()
""",
    good="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


Twice.apply(x.clone()).sum().backward()
""",
)
