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
        "straight_through.saturates": (
            "For {count} of {total} elements, moving {input} by eps does not change {output} at "
            "all, as where forward clamps or masks: the numerical gradient is zero there. Backward "
            "passes the gradient through there too. This is a straight-through gradient if it is "
            "intended; if not, a mask is missing."
        ),
        "straight_through.saturates.evidence": (
            "The other {count} elements are correct, and those that saturate get the same gradient."
        ),
        "straight_through.step": (
            "This is a straight-through gradient: in the gradient of {inputs}, backward passes the "
            "gradient through {call} unchanged, although its derivative is zero. If this is "
            "intended, the two Jacobians differ on purpose, and gradcheck cannot return True."
        ),
        "straight_through.consequence": (
            "The gradient of {input} depends on how backward differentiates {call}, which is "
            "constant in steps. The gradient is passed straight through there for another input, "
            "so the difference is probably a consequence of that."
        ),
        "straight_through.saturating": (
            "In the gradient of {inputs}, backward passes the gradient through {call} also where "
            "its derivative is zero. This is a straight-through gradient if it is intended; if "
            "not, a mask is missing."
        ),
        "straight_through.any": "any of the {count} elements",
        "straight_through.only": "the only element",
    },
)
