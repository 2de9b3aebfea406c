"""forward changes an input in place without mark_dirty."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

IN_PLACE_UNMARKED = DoctorRule(
    id="GV302",
    code="in_place_unmarked",
    title="In-place change not declared",
    severity="error",
    evidence=(
        "run",
        "source",
    ),
    summary="forward changes an input in place without mark_dirty.",
    why=(
        "Only an input declared with ctx.mark_dirty gets a new history that goes through the "
        "Function. Otherwise autograd does not know that its elements are new."
    ),
    remedy=("Call ctx.mark_dirty(x) and return x; or leave x unchanged and work on a copy."),
    messages={
        "finding.in_place_unmarked": (
            "In {where}, the input {name} is changed in place but not marked as dirty: {name} "
            "has new elements but still its old history ({history}), so a gradient through "
            "{name} bypasses {function}.backward. Call ctx.mark_dirty({name}) and return "
            "{name}."
        ),
        "finding.in_place_unmarked.plain": (
            "In {where}, the input {name} is changed in place but not marked as dirty: "
            "autograd does not know that its elements are new. Call ctx.mark_dirty({name}) "
            "and return {name}, or work on a copy."
        ),
    },
    bad="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        return x

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
