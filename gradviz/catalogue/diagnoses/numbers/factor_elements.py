"""Each element of the output, or of the input, has its own wrong factor."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

FACTOR_ELEMENTS = DiagnosisInfo(
    code="factor_elements",
    title="Wrong by a factor for each element",
    guide="a factor that varies with the element is missing or wrong, such as a slope",
    messages={
        "factor_elements.output": (
            "The gradient of {inputs} from {output} is correct except for one factor for each "
            "element of {output}. Look for a factor of each element that is missing or wrong, such "
            "as the derivative of what forward computes last."
        ),
        "factor_elements.input": (
            "The gradient of {inputs} from {output} is correct except for one factor for each "
            "element of {inputs}. Look for a factor of each element that is missing or wrong, such "
            "as the derivative of what forward computes first."
        ),
        "factor_elements.missing": (
            "The gradient of {inputs} from {output} lacks a factor: multiply the gradient of "
            "{name} by {factor}."
        ),
        "factor_elements.surplus": (
            "The gradient of {inputs} from {output} has a factor too many: {factor}."
        ),
        "factor_elements.mistaken": (
            "The gradient of {inputs} from {output} has a wrong factor: {factor}."
        ),
        "factor_elements.instead": "{used} instead of {correct}",
        "factor_elements.evidence": (
            "The factors lie between {least:.4g} and {most:.4g}. After division by them, 0 of "
            "{count} elements are wrong."
        ),
        "factor_elements.repair.missing": "Multiply the gradient by {factor}.",
        "factor_elements.repair.surplus": "Divide the gradient by {factor}.",
        "factor_elements.repair.mistaken": "Correct this factor.",
    },
)
