"""Diagnoses that do not count against backward, or leave it open, in the guide's order."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

CONCLUSIONS = (
    DiagnosisInfo(
        code="float32_noise",
        title="Low-precision rounding",
        guide="the difference is rounding: check in float64",
        severity="check",
    ),
    DiagnosisInfo(
        code="eps_sensitive",
        title="Unsuitable eps",
        guide="eps is too large or too small for this function",
        severity="check",
    ),
    DiagnosisInfo(
        code="kink",
        title="Kink at this point",
        guide="the slopes on the left and on the right differ at this point: move it",
        severity="check",
    ),
    DiagnosisInfo(
        code="none",
        title="No wrong gradient found",
        guide="no test found a wrong gradient",
        severity="calm",
        messages={
            "none.message": "None of the tests found a wrong gradient.",
            "none.below_tolerance": (
                "None of the tests found a wrong gradient, but that of {input} from {output} has "
                "values that cannot be compared at this tolerance: the analytical value is "
                "{analytical}, the numerical one {numerical}, and atol allows the difference. "
                "Scale the output, or lower atol."
            ),
            "none.nothing_compared": (
                "None of the checks found a problem, but nothing could be compared at this "
                "tolerance between {output} and {input}: all derivatives are at most "
                "{largest:.3g}, which is below atol, so that zeros would pass as well. Scale the "
                "output, or lower atol."
            ),
            "none.scaled": (
                "None of the checks found a problem. The derivatives of {output} with respect to "
                "{input} are at most {largest:.3g}, which is below atol, so they were compared "
                "with the output multiplied by {factor:g}."
            ),
            "none.products": (
                "Every element is within the tolerance, but the sums of many elements that fast "
                "mode compares are not."
            ),
        },
    ),
    DiagnosisInfo(
        code="unknown",
        title="Unknown cause",
        guide="something is wrong and fits none of these; start at the worst element",
        severity="doubt",
        messages={
            "unknown.pair": (
                "The difference between the Jacobians of {output} with respect to {input} matches "
                "no mistake that gradviz recognizes. Start with the worst element."
            ),
            "unknown.tried": (
                "Tried without success: factors, signs, transposes, sums over dimensions, swapped "
                "and missing terms, masks and slices, and changes of torch operations in backward, "
                "one or two at a time. What NumPy or another library computes was not changed."
            ),
            "unknown.elementwise": (
                "Each element of {output} depends on only one element of {input}, in both "
                "Jacobians. Compare backward's formula with the derivative at a single value: "
                "where {input} is {value:.6g}, backward returns {analytical:.6g}, and the "
                "derivative is {numerical:.6g}."
            ),
            "unknown.next": (
                "{wrong} of {count} elements are wrong. Step through backward with a gradient that "
                "is 1 at element {element} of {output} and 0 elsewhere, and look for the first "
                "value that is not what it should be."
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
    ),
)
