"""All values are wrong by the same factor."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

FACTOR_CONSTANT = DiagnosisInfo(
    code="factor_constant",
    title="Wrong by a constant factor",
    guide="everything is right except for one factor, such as 2",
    messages={
        "factor_constant.part": (
            "In the gradient of {inputs}, the part that passes through {value} is {factor} times "
            "what it should be."
        ),
        "factor_constant.one": (
            "The gradient of {inputs} is {factor} times what it should be, {where}."
        ),
        "factor_constant.several": (
            "The gradients of {inputs} are {factor} times what they should be, {where}."
        ),
        "factor_constant.and_origin": "{sentence} {origin}",
        "factor_constant.evidence": (
            "{output} with respect to {input}: analytical = {measured} * numerical. After "
            "division by {factor}, {wrong} of {count} elements are wrong."
        ),
        "factor_constant.evidence.moved": "With other input values, the factor is the same.",
        "factor_constant.root": (
            "The factor changes with the size {size} ({where}): look for a square-root scale, "
            "such as 1 / sqrt(n), that is missing or applied twice."
        ),
        "factor_constant.operation": (
            "In the gradient of {inputs}, the value computed in {line} ({operation}) is {factor} "
            "times what it should be."
        ),
        "factor_constant.and_more": (
            "The gradient of {input} from {output} is {factor} times what it should be, and has "
            "another mistake."
        ),
        "factor_constant.and_more.evidence": (
            "Only after division by {factor}, the values fit that other mistake."
        ),
    },
)
