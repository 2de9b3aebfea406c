"""A saved tensor is neither an input nor an output."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

SAVED_INTERMEDIATE = DoctorRule(
    id="GV102",
    code="saved_intermediate",
    title="Intermediate tensor saved",
    severity="warning",
    evidence=(
        "run",
        "source",
    ),
    summary="A saved tensor is neither an input nor an output.",
    why=(
        "forward runs without recording a graph, so a tensor computed in it has no history: a "
        "second derivative treats it as a constant and is silently wrong."
    ),
    remedy=(
        "Recompute it in backward, return it as an additional output, or decorate backward "
        "with @once_differentiable."
    ),
    messages={
        "finding.saved_intermediate": (
            "{where} saves {name}, which is neither an input nor an output: a second "
            "derivative treats it as a constant. Recompute it in backward, return it as an "
            "output, or decorate backward with @once_differentiable."
        ),
        "finding.saved_intermediate.view": (
            "{where} saves {name}, which is a view of the input {argument} and not {argument} "
            "itself: a second derivative treats it as a constant. Save {argument} and take "
            "the view in backward."
        ),
    },
    bad="""\
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        square = x * x
        ctx.save_for_backward(square)
        return square * x

    @staticmethod
    def backward(ctx, grad_output):
        (square,) = ctx.saved_tensors
        return 3 * square * grad_output


Cube.apply(x).sum().backward()
""",
    good="""\
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 3 * x * x * grad_output


Cube.apply(x).sum().backward()
""",
)
