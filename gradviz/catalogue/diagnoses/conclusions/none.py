"""No test found a wrong gradient."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

NONE = DiagnosisInfo(
    code="none",
    title="No wrong gradient found",
    guide="no test found a wrong gradient",
    severity="calm",
    messages={
        "none.message": "None of the tests found a wrong gradient.",
        "none.below_tolerance": (
            "None of the tests found a wrong gradient, but that of {input} from {output} has "
            "values that cannot be compared at this tolerance: the analytical value is "
            "{analytical}, the numerical one {numerical}, and atol allows the difference. Scale "
            "the output, or lower atol."
        ),
        "none.nothing_compared": (
            "None of the checks found a problem, but nothing could be compared at this tolerance "
            "between {output} and {input}: all derivatives are at most {largest:.3g}, which is "
            "below atol, so that zeros would pass as well. Scale the output, or lower atol."
        ),
        "none.scaled": (
            "None of the checks found a problem. The derivatives of {output} with respect to "
            "{input} are at most {largest:.3g}, which is below atol, so they were compared with "
            "the output multiplied by {factor:g}."
        ),
        "none.products": (
            "Every element is within the tolerance, but the sums of many elements that fast mode "
            "compares are not."
        ),
    },
)
