"""A Function without backward is differentiated."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

NO_BACKWARD = DoctorRule(
    id="GV403",
    code="no_backward",
    title="No backward",
    severity="error",
    evidence=("torch",),
    summary="A Function without backward is differentiated.",
    why=(
        "Torch cannot differentiate what forward does: the gradient must be written in "
        "backward, or in vjp."
    ),
    remedy="Write backward; or detach the result if it needs no gradient.",
    refusal="You must implement either the backward or vjp method",
    bad="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x


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
