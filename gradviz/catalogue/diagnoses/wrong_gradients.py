"""Mistakes in a whole gradient that the Jacobians reveal, in the guide's order."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

WRONG_GRADIENTS = (
    DiagnosisInfo(
        code="transposed",
        title="Transposed",
        guide=(
            "a linear map is applied instead of its transpose: a `.t()` is missing or one too "
            "many, or a cumulative sum, shift or permutation runs the wrong way"
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
                "The gradient of {input} is returned transposed: all {count} analytical values "
                "equal the numerical ones with dimensions {dimensions} of {input} permuted."
            ),
            "transposed.output": (
                "The gradient of {output} is used transposed for {input}: all {count} analytical "
                "values equal the numerical ones with dimensions {dimensions} of {output} permuted."
            ),
            "transposed.viewed": (
                "The gradient of {input} is viewed or reshaped where it needs a transpose: viewed "
                "as {shape}, the dimensions of the input and then of the output, and permuted to "
                "the order {order}, all {count} analytical values equal the numerical ones. Look "
                "for .view or .reshape instead of .t()."
            ),
            "transposed.evidence": (
                "As returned, {wrong} of {count} elements are wrong. With the dimensions in the "
                "correct order, none are."
            ),
            "transposed.repair": "Transpose these dimensions.",
            "transposed.inside": (
                "Backward applies a linear map to the gradient of {output} where its transpose is "
                "needed, or the reverse: apart from a slope for each index, the analytical values "
                "for {input} equal the numerical ones with dimension {one} of {input} and "
                "dimension {other} of {output} swapped."
            ),
            "transposed.rejected": (
                "The gradient of {input} is returned transposed: backward returns a gradient of "
                "shape {returned}, but {input} has shape {expected}. Permute its dimensions to the "
                "order {order}."
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
                "In the gradient of {inputs}, {operation} in {line} applies a permutation where "
                "the inverse one is needed."
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
                "A matrix product in the gradient of {input} lacks a transpose, or has one too "
                "many: apart from a slope for each index, the analytical values equal the "
                "numerical ones with dimension {one} of {input} and dimension {other} of {output} "
                "swapped. Look for a missing or extra .t()."
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
    ),
    DiagnosisInfo(
        code="factor_constant",
        title="Wrong by a constant factor",
        guide="everything is right except for one factor, such as 2",
        messages={
            "factor_constant.part": (
                "In the gradient of {inputs}, the part that passes through {value} is {factor} "
                "times what it should be."
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
                "In the gradient of {inputs}, the value computed in {line} ({operation}) is "
                "{factor} times what it should be."
            ),
            "factor_constant.and_more": (
                "The gradient of {input} from {output} is {factor} times what it should be, and "
                "has another mistake."
            ),
            "factor_constant.and_more.evidence": (
                "Only after division by {factor}, the values fit that other mistake."
            ),
        },
    ),
    DiagnosisInfo(
        code="factor_sign",
        title="Wrong sign",
        guide="a minus sign is missing, or there is one too many",
        messages={
            "factor_sign.part": (
                "In the gradient of {inputs}, the part that passes through {value} has the wrong "
                "sign."
            ),
            "factor_sign.one": (
                "The gradient of {inputs} has the wrong sign: the analytical value is -1 times the "
                "numerical one, {where}."
            ),
            "factor_sign.several": (
                "The gradients of {inputs} have the wrong sign: the analytical value is -1 times "
                "the numerical one, {where}."
            ),
            "factor_sign.operation": (
                "In the gradient of {inputs}, the value computed in {line} ({operation}) has the "
                "wrong sign."
            ),
            "factor_sign.evidence.difference": (
                "If the function is a difference, such as a - b, swapped gradients would look the "
                "same."
            ),
            "factor_sign.first": (
                "In the gradient of {inputs}, the first operand of {operation} in {line} has the "
                "wrong sign."
            ),
            "factor_sign.second": (
                "In the gradient of {inputs}, the second operand of {operation} in {line} has the "
                "wrong sign."
            ),
        },
    ),
    DiagnosisInfo(
        code="factor_batch_size",
        title="Wrong by a factor of the batch size",
        guide="wrong by the size of a dimension: a mean instead of a sum, or the other way round",
        messages={
            "factor_batch_size.size": (
                "The factor changes with the size {size} ({where}): look for a mean where a sum is "
                "needed, or the reverse."
            ),
            "factor_batch_size.other": "The factor changes with the size {size} ({where}).",
            "factor_batch_size.corrected": (
                "The factor changes with the size {size} ({where}): look for a variance divided by "
                "n in one place and by n - 1 in another."
            ),
            "factor_batch_size.guessed": (
                "The factor matches a size, {size}: look for a mean where a sum is needed, or the "
                "reverse."
            ),
            "factor_batch_size.evidence": (
                "With size {larger} instead of {size}, the factor is {factor}."
            ),
            "factor_batch_size.some_dimension": "a dimension of an argument",
        },
    ),
    DiagnosisInfo(
        code="factor_count",
        title="Wrong by a count",
        guide="a division by a count is missing, as in a mean over a mask or over groups",
        messages={
            "factor_count.missing": (
                "The gradient of {inputs} from {output} is too large by a whole number that varies "
                "with the element of {name}: {counts}. Look for a missing division by a count, as "
                "in a mean over a mask or over groups."
            ),
            "factor_count.surplus": (
                "The gradient of {inputs} from {output} is too small by a whole number that varies "
                "with the element of {name}: {counts}. Look for a division by a count that does "
                "not belong there, as in a mean over a mask or over groups."
            ),
            "factor_count.evidence": (
                "With one whole number for each element of {name}, 0 of {count} elements are wrong."
            ),
        },
    ),
    DiagnosisInfo(
        code="factor_elements",
        title="Wrong by a factor for each element",
        guide="a factor that varies with the element is missing or wrong, such as a slope",
        messages={
            "factor_elements.output": (
                "The gradient of {inputs} from {output} is correct except for one factor for each "
                "element of {output}. Look for a factor of each element that is missing or wrong, "
                "such as the derivative of what forward computes last."
            ),
            "factor_elements.input": (
                "The gradient of {inputs} from {output} is correct except for one factor for each "
                "element of {inputs}. Look for a factor of each element that is missing or wrong, "
                "such as the derivative of what forward computes first."
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
    ),
    DiagnosisInfo(
        code="missing_conjugate",
        title="Missing conjugate",
        guide="the values are the complex conjugates of the right ones: a `.conj()` is missing",
        messages={
            "missing_conjugate.message": (
                "A conjugate seems to be missing: the gradient of {inputs} has the complex "
                "conjugates of the correct values. The backward of a complex function multiplies "
                "grad_output by the conjugate of the derivative. Look for a place that needs "
                ".conj() or .mH."
            ),
            "missing_conjugate.evidence": (
                "All {count} analytical values are the complex conjugates of the numerical ones. "
                "For imaginary parts of outputs, where grad_output is 1j, the sign is reversed as "
                "well."
            ),
            "missing_conjugate.imag": (
                "The gradient of {input} has the wrong sign for an imaginary grad_output, but is "
                "correct for a real one: it would be correct for grad_output.conj()."
            ),
            "missing_conjugate.real": (
                "The gradient of {input} has the wrong sign for a real grad_output, but is correct "
                "for an imaginary one: it would be correct for -grad_output.conj()."
            ),
            "missing_conjugate.first": (
                "In the gradient of {inputs}, {operation} in {line} needs the conjugate of its "
                "first operand."
            ),
            "missing_conjugate.second": (
                "In the gradient of {inputs}, {operation} in {line} needs the conjugate of its "
                "second operand."
            ),
            "missing_conjugate.surplus": (
                "In the gradient of {inputs}, the conjugate in {line} is one too many."
            ),
        },
    ),
    DiagnosisInfo(
        code="missing_sum",
        title="Missing sum",
        guide="`backward` does not sum what `forward` broadcast",
        messages={
            "missing_sum.one_term": (
                "The gradient of {input} should be a sum of {terms} terms, but only one is "
                "included: the one from {where} of {output}. Sum over all of them."
            ),
            "missing_sum.one_term.viewed": (
                "The gradient of {input} should be a sum of {terms} terms, but only one is "
                "included: the one from {where} of {output}, viewed as {shape}. Sum over all of "
                "them."
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
                "backward returns a gradient of shape {returned}, but {input} has shape "
                "{expected}. With this sum, it is correct."
            ),
            "missing_sum.operation": (
                "In the gradient of {inputs}, the value computed in {line} ({operation}) has to be "
                "summed over {dimensions}."
            ),
            "missing_sum.operation.dimension": (
                "In the gradient of {inputs}, {operation} in {line} reduces the wrong dimensions: "
                "it should reduce {dimensions} of its operand."
            ),
        },
    ),
    DiagnosisInfo(
        code="extra_sum",
        title="Extra sum",
        guide="`backward` sums over a dimension that it should keep",
        messages={
            "extra_sum.summed": (
                "For {input}, backward uses the gradient of {name} summed over {dimensions} and "
                "gives the result to every element. Remove this sum."
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
                "A mean in the gradient of {input} goes over too many dimensions and mixes "
                "elements that forward keeps apart along {dimensions}. Look for a .mean() that "
                "lacks dim and keepdim=True."
            ),
            "extra_sum.mixed.evidence": (
                "Along {dimensions}, the slices are independent of each other numerically, but "
                "analytically each depends on all. Within a slice, the summed part is right."
            ),
            "extra_sum.mixed.mean.evidence": (
                "Along {dimensions}, the slices are independent of each other numerically, but "
                "analytically each depends on all. Within a slice, the averaged part is too small "
                "by a factor of the number of slices."
            ),
            "extra_sum.rejected.summed": (
                "The gradient of {input} is summed over {dimensions} by mistake: backward returns "
                "a gradient of shape {returned}, but {input} has shape {expected}. Remove this sum."
            ),
            "extra_sum.rejected.averaged": (
                "The gradient of {input} is averaged over {dimensions} by mistake: backward "
                "returns a gradient of shape {returned}, but {input} has shape {expected}. Remove "
                "this mean."
            ),
            "extra_sum.operation": (
                "In the gradient of {inputs}, {operation} in {line} reduces too many dimensions: "
                "it should reduce only {dimensions} of its operand."
            ),
        },
    ),
    DiagnosisInfo(
        code="not_expanded",
        title="Gradient not expanded",
        guide="the gradient of a sum or mean is not expanded to the shape of the input",
        messages={
            "not_expanded.message": (
                "The gradient of {input} is not expanded over {dimensions}: backward returns a "
                "gradient of shape {returned}, but {input} has shape {expected}. Use .unsqueeze() "
                "and .expand()."
            ),
        },
    ),
    DiagnosisInfo(
        code="wrong_gradient_shape",
        title="Wrong shape",
        guide="the gradient has the right values in the wrong shape, such as a flat one",
        is_observation=True,
        messages={
            "wrong_gradient_shape.message": (
                "The gradient of {input} has the correct values in the wrong shape: backward "
                "returns a gradient of shape {returned}, but {input} has shape {expected}. Look "
                "for a squeeze, view or reshape."
            ),
        },
    ),
    DiagnosisInfo(
        code="swapped_gradients",
        title="Gradients of two inputs swapped",
        guide="the gradients of two inputs are returned in the wrong order",
        messages={
            "swapped_gradients.two": (
                "The gradients of {inputs} are swapped: backward has to return them in the order "
                "of forward's arguments."
            ),
            "swapped_gradients.several": (
                "The gradients of {inputs} are returned in the wrong order: backward has to return "
                "them in the order of forward's arguments."
            ),
            "swapped_gradients.evidence": "Backward returns for {other} the gradient of {input}.",
            "swapped_gradients.evidence.corrected": (
                "In the correct order, 0 of {count} elements are wrong."
            ),
            "swapped_gradients.rejected.evidence": (
                "The gradient returned for {other} has the shape {shape} of {input} and agrees "
                "with the numerical Jacobian of that input."
            ),
        },
    ),
    DiagnosisInfo(
        code="swapped_grad_outputs",
        title="Gradients of outputs swapped",
        guide="`backward` uses the gradient of one output where that of another belongs",
        messages={
            "swapped_grad_outputs.swapped": (
                "In the gradient of {inputs}, the gradients of {outputs} are swapped: backward "
                "receives them in the order of forward's outputs."
            ),
            "swapped_grad_outputs.reused": (
                "In the gradient of {inputs}, the term of {outputs} is multiplied by the gradient "
                "of {used} instead of its own."
            ),
            "swapped_grad_outputs.evidence": (
                "The values that belong to {output} are in the analytical Jacobian of {other}."
            ),
            "swapped_grad_outputs.evidence.corrected": (
                "In the correct order, 0 of {count} elements are wrong."
            ),
        },
    ),
)
