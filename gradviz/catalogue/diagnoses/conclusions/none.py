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
        "none.products": (
            "Every element is within the tolerance, but the sums of many elements that fast mode "
            "compares are not."
        ),
    },
)
