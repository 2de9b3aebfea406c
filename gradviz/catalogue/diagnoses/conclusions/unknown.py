"""Something is wrong and fits no known cause."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

UNKNOWN = DiagnosisInfo(
    code="unknown",
    title="Unknown cause",
    guide="something is wrong and fits none of these; start at the worst element",
    severity="doubt",
    messages={
        "unknown.pair": (
            "The difference between the Jacobians of {output} with respect to {input} matches no "
            "mistake that gradviz recognizes. Start with the worst element."
        ),
        "unknown.tried": (
            "Tried without success: factors, signs, transposes, sums over dimensions, swapped and "
            "missing terms, masks and slices, and changes of torch operations in backward, one or "
            "two at a time. What NumPy or another library computes was not changed."
        ),
        "unknown.elementwise": (
            "Each element of {output} depends on only one element of {input}, in both Jacobians. "
            "Compare backward's formula with the derivative at a single value: where {input} is "
            "{value:.6g}, backward returns {analytical:.6g}, and the derivative is {numerical:.6g}."
        ),
        "unknown.next": (
            "{wrong} of {count} elements are wrong. Step through backward with a gradient that is "
            "1 at element {element} of {output} and 0 elsewhere, and look for the first value that "
            "is not what it should be."
        ),
        "unknown.reported": (
            "The results match no mistake that gradviz recognizes. The check failed because of "
            "this problem: {problem}"
        ),
        "unknown.check": (
            "The results match no mistake that gradviz recognizes. Start with the reported "
            "problems."
        ),
    },
)
