"""The values are right, but in the order of a transposed matrix."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

TRANSPOSED = DiagnosisInfo(
    code="transposed",
    title="Transposed",
    guide=(
        "a linear map is applied instead of its transpose: a `.t()` is missing or one too many, or "
        "a cumulative sum, shift or permutation runs the wrong way"
    ),
    messages={
        "transposed.swapped": (
            "Backward applies a linear map to the gradient of {output} where its transpose is "
            "needed, or the reverse: all {count} analytical values for {input} equal the "
            "numerical ones with dimension {one} of {input} and dimension {other} of {output} "
            "swapped."
        ),
        "transposed.jacobian": (
            "Backward applies the Jacobian itself to the gradient of {output} instead of its "
            "transpose: all {count} analytical values equal the numerical ones with rows and "
            "columns swapped."
        ),
        "transposed.input": (
            "The gradient of {input} is returned transposed: all {count} analytical values equal "
            "the numerical ones with dimensions {dimensions} of {input} permuted."
        ),
        "transposed.output": (
            "The gradient of {output} is used transposed for {input}: all {count} analytical "
            "values equal the numerical ones with dimensions {dimensions} of {output} permuted."
        ),
        "transposed.viewed": (
            "The gradient of {input} is viewed or reshaped where it needs a transpose: viewed as "
            "{shape}, the dimensions of the input and then of the output, and permuted to the "
            "order {order}, all {count} analytical values equal the numerical ones. Look for "
            ".view or .reshape instead of .t()."
        ),
        "transposed.evidence": (
            "As returned, {wrong} of {count} elements are wrong. With the dimensions in the "
            "correct order, none are."
        ),
        "transposed.repair": "Transpose these dimensions.",
        "transposed.inside": (
            "Backward applies a linear map to the gradient of {output} where its transpose is "
            "needed, or the reverse: apart from a slope for each index, the analytical values for "
            "{input} equal the numerical ones with dimension {one} of {input} and dimension "
            "{other} of {output} swapped."
        ),
        "transposed.rejected": (
            "The gradient of {input} is returned transposed: backward returns a gradient of shape "
            "{returned}, but {input} has shape {expected}. Permute its dimensions to the order "
            "{order}."
        ),
        "transposed.operand.first": (
            "In the gradient of {inputs}, the first matrix of the product in {line} lacks a "
            "transpose, or has one too many."
        ),
        "transposed.operand.second": (
            "In the gradient of {inputs}, the second matrix of the product in {line} lacks a "
            "transpose, or has one too many."
        ),
        "transposed.sizes": "Backward multiplies matrices whose sizes do not match. {found}",
        "transposed.sizes.evidence": (
            "With equal sizes, here {shape} for {input}, backward runs and shows this mistake."
        ),
        "transposed.reverse.cumsum": (
            "In the gradient of {inputs}, the cumulative sum in {line} runs in the wrong "
            "direction: flip its operand, and then its result."
        ),
        "transposed.reverse.roll": (
            "In the gradient of {inputs}, roll in {line} shifts in the wrong direction."
        ),
        "transposed.reverse.permutation": (
            "In the gradient of {inputs}, {operation} in {line} applies a permutation where the "
            "inverse one is needed."
        ),
        "transposed.reverse.fft": (
            "In the gradient of {inputs}, the Fourier transform in {line} runs in the wrong "
            "direction. The right one has the same normalization, so it may need a factor."
        ),
        "transposed.reverse.solve": (
            "In the gradient of {inputs}, {line} solves with a matrix where its transpose is "
            "needed, or the reverse."
        ),
        "transposed.swapped.product": (
            "The gradient of {input} lacks a transpose, or has one too many: all {count} "
            "analytical values equal the numerical ones with dimension {one} of {input} and "
            "dimension {other} of {output} swapped. In a matrix product, look for a missing or "
            "extra .t()."
        ),
        "transposed.inside.product": (
            "A matrix product in the gradient of {input} lacks a transpose, or has one too many: "
            "apart from a slope for each index, the analytical values equal the numerical ones "
            "with dimension {one} of {input} and dimension {other} of {output} swapped. Look for "
            "a missing or extra .t()."
        ),
        "transposed.hint.cumsum": "{found} Look for a cumulative sum that runs the wrong way.",
        "transposed.hint.roll": "{found} Look for a shift in the wrong direction.",
        "transposed.hint.index": (
            "{found} Look for an index that is read where it should be written, or for a "
            "permutation instead of its inverse."
        ),
        "transposed.hint.solve": (
            "{found} Look for a linear system that is solved without the transpose."
        ),
    },
)
