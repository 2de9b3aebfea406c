"""A leaf that requires grad is changed in place."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

LEAF_CHANGED_IN_PLACE = DoctorRule(
    id="GV307",
    code="leaf_changed_in_place",
    title="Leaf changed in place",
    severity="error",
    evidence=("torch",),
    summary="A leaf that requires grad is changed in place.",
    why=(
        "The gradient of a leaf is that of the value that it has as a leaf. After a change in "
        "place it would be the result of an op, so torch refuses it."
    ),
    remedy="Change a copy, as x.clone(); or change the leaf under torch.no_grad().",
    refusal="leaf Variable that requires grad",
    bad="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


Twice.apply(x).sum().backward()
""",
    good="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


Twice.apply(x.clone()).sum().backward()
""",
)
