"""One term is returned where their sum is needed, or the wrong dimension is summed."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

MISSING_SUM = DiagnosisInfo(
    code="missing_sum",
    title="Missing sum",
    guide="`backward` does not sum what `forward` broadcast",
    messages={
        "missing_sum.one_term": (
            "The gradient of {input} should be a sum of {terms} terms, but only one is included: "
            "the one from {where} of {output}. Sum over all of them."
        ),
        "missing_sum.one_term.viewed": (
            "The gradient of {input} should be a sum of {terms} terms, but only one is included: "
            "the one from {where} of {output}, viewed as {shape}. Sum over all of them."
        ),
        "missing_sum.one_term.index": "index {index} of dimension {dimension}",
        "missing_sum.one_term.evidence": (
            "There, the analytical values equal the numerical ones. Everywhere else they are "
            "zero, although {output} depends on {input} there too."
        ),
        "missing_sum.wrong_dimension": (
            "Backward sums the gradient of {input} over the wrong dimension of {output}: over "
            "dimension {summed} instead of dimension {correct}, which has the same size."
        ),
        "missing_sum.wrong_dimension.evidence": (
            "All {count} values are correct terms, but they are in the wrong sums."
        ),
        "missing_sum.wrong_dimension.repair": "Sum over dimension {dimension} instead.",
        "missing_sum.rejected": (
            "The gradient of {input} is not summed over {dimensions} of the returned tensor: "
            "backward returns a gradient of shape {returned}, but {input} has shape {expected}. "
            "With this sum, it is correct."
        ),
        "missing_sum.operation": (
            "In the gradient of {inputs}, the value computed in {line} ({operation}) has to be "
            "summed over {dimensions}."
        ),
        "missing_sum.operation.dimension": (
            "In the gradient of {inputs}, {operation} in {line} reduces the wrong dimensions: it "
            "should reduce {dimensions} of its operand."
        ),
    },
)
