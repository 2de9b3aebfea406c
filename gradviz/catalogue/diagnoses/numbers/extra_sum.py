"""A sum or mean is taken over dimensions that should be kept."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

EXTRA_SUM = DiagnosisInfo(
    code="extra_sum",
    title="Extra sum",
    guide="`backward` sums over a dimension that it should keep",
    messages={
        "extra_sum.summed": (
            "For {input}, backward uses the gradient of {name} summed over {dimensions} and gives "
            "the result to every element. Remove this sum."
        ),
        "extra_sum.averaged": (
            "For {input}, backward uses the gradient of {name} averaged over {dimensions} and "
            "gives the result to every element. Remove this mean."
        ),
        "extra_sum.summed.evidence": (
            "All {count} analytical values equal the numerical ones summed over {dimensions}."
        ),
        "extra_sum.averaged.evidence": (
            "All {count} analytical values equal the numerical ones averaged over {dimensions}."
        ),
        "extra_sum.mixed": (
            "A sum in the gradient of {input} goes over too many dimensions and mixes elements "
            "that forward keeps apart along {dimensions}. Look for a .sum() that lacks dim and "
            "keepdim=True."
        ),
        "extra_sum.mixed.mean": (
            "A mean in the gradient of {input} goes over too many dimensions and mixes elements "
            "that forward keeps apart along {dimensions}. Look for a .mean() that lacks dim and "
            "keepdim=True."
        ),
        "extra_sum.mixed.evidence": (
            "Along {dimensions}, the slices are independent of each other numerically, but "
            "analytically each depends on all. Within a slice, the summed part is right."
        ),
        "extra_sum.mixed.mean.evidence": (
            "Along {dimensions}, the slices are independent of each other numerically, but "
            "analytically each depends on all. Within a slice, the averaged part is too small by "
            "a factor of the number of slices."
        ),
        "extra_sum.rejected.summed": (
            "The gradient of {input} is summed over {dimensions} by mistake: backward returns a "
            "gradient of shape {returned}, but {input} has shape {expected}. Remove this sum."
        ),
        "extra_sum.rejected.averaged": (
            "The gradient of {input} is averaged over {dimensions} by mistake: backward returns a "
            "gradient of shape {returned}, but {input} has shape {expected}. Remove this mean."
        ),
        "extra_sum.operation": (
            "In the gradient of {inputs}, {operation} in {line} reduces too many dimensions: it "
            "should reduce only {dimensions} of its operand."
        ),
    },
)
