"""Each element of the output, or of the input, is wrong by a whole number."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

FACTOR_COUNT = DiagnosisInfo(
    code="factor_count",
    title="Wrong by a count",
    guide="a division by a count is missing, as in a mean over a mask or over groups",
    messages={
        "factor_count.missing": (
            "The gradient of {inputs} from {output} is too large by a whole number that varies "
            "with the element of {name}: {counts}. Look for a missing division by a count, as in a "
            "mean over a mask or over groups."
        ),
        "factor_count.surplus": (
            "The gradient of {inputs} from {output} is too small by a whole number that varies "
            "with the element of {name}: {counts}. Look for a division by a count that does not "
            "belong there, as in a mean over a mask or over groups."
        ),
        "factor_count.evidence": (
            "With one whole number for each element of {name}, 0 of {count} elements are wrong."
        ),
    },
)
