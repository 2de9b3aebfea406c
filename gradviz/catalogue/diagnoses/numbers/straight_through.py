"""A piecewise constant forward whose gradient is passed through."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

STRAIGHT_THROUGH = DiagnosisInfo(
    code="straight_through",
    title="Straight-through gradient",
    guide="the gradient passes as if `forward` did nothing; usually on purpose",
    messages={
        "straight_through.identity": (
            "This is a straight-through gradient. Moving {elements} of {input} by eps does not "
            "change {output} at all, as when forward rounds, takes the sign or compares, so the "
            "numerical Jacobian is zero. Backward passes the gradient through unchanged (the "
            "analytical Jacobian is the identity). If this is intended, the two differ on "
            "purpose, and gradcheck cannot return True."
        ),
        "straight_through.diagonal": (
            "This is a straight-through gradient. Moving {elements} of {input} by eps does not "
            "change {output} at all, as when forward rounds, takes the sign or compares, so the "
            "numerical Jacobian is zero. Backward passes the gradient through scaled element by "
            "element (the analytical Jacobian is diagonal). If this is intended, the two differ "
            "on purpose, and gradcheck cannot return True."
        ),
        "straight_through.any": "any of the {count} elements",
        "straight_through.only": "the only element",
    },
)
