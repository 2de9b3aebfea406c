"""A method of a Function lacks @staticmethod."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

NOT_STATIC = DoctorRule(
    id="GV402",
    code="not_static",
    title="Method is not static",
    severity="warning",
    evidence=("source",),
    summary="A method of a Function lacks @staticmethod.",
    why=(
        "Torch calls forward and backward on the class, with ctx in place of an instance. "
        "Without @staticmethod this works by chance, and raises an error as soon as someone "
        "calls an instance."
    ),
    remedy="Decorate the method with @staticmethod.",
    messages={
        "finding.not_static.source": (
            "{where} is not static: torch calls it on the class. Decorate it with @staticmethod."
        ),
    },
    bad="""\
class Twice(Function):
    def forward(ctx, x):
        return 2 * x

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
