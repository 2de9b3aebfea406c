"""Terms, paths and elements that the Jacobians show as missing or wrong, in the guide's order."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

WRONG_TERMS = (
    DiagnosisInfo(
        code="missing_term",
        title="Missing term",
        guide="one of the terms that add up to the gradient is missing",
        messages={
            "missing_term.constant": (
                "The gradient of {input} lacks a term: backward treats {results} as a constant, "
                "although it depends on {input}."
            ),
            "missing_term.constant.evidence": (
                "Run under autograd with only that treated as a constant, forward has the "
                "derivative that backward returns. With nothing treated as a constant, it has the "
                "numerical one."
            ),
            "missing_term.elementwise": (
                "The gradient of {input} lacks a term: each element of {output} depends on several "
                "elements of {input}, but backward computes only the elementwise part."
            ),
            "missing_term.elementwise.evidence": (
                "All {count} values on the diagonal of the Jacobian are correct. Off the diagonal, "
                "the analytical values are zero, but the numerical ones are not."
            ),
            "missing_term.output": (
                "The gradient of {input} lacks a term: {output} changes with {input}, but the "
                "gradient of {output} contributes nothing."
            ),
            "missing_term.output.evidence": (
                "Other outputs contribute to the gradient of {input}, and {output} contributes to "
                "the gradients of other inputs."
            ),
        },
    ),
    DiagnosisInfo(
        code="surplus_term",
        title="Surplus term",
        guide="`backward` adds a term that does not belong to the gradient",
        messages={
            "surplus_term.operation": (
                "The gradient of {inputs} has a term too many: leave out the value computed in "
                "{line} ({operation})."
            ),
        },
    ),
    DiagnosisInfo(
        code="dropped_zero",
        title="Gradient is all zeros",
        guide="`backward` returns zeros, but the true gradient is not zero",
        messages={
            "dropped_zero.message": (
                "{output} changes with {input}, but no gradient comes back: the backward of "
                "{function} returns only zeros."
            ),
            "dropped_zero.evidence": (
                "A nonzero gradient reached {function}; for argument {argument} of forward, its "
                "backward returned only zeros."
            ),
            "dropped_zero.cancelled": (
                "{output} changes with {input}, but the gradient that comes back is zero "
                "everywhere."
            ),
        },
    ),
    DiagnosisInfo(
        code="dropped_none",
        title="Gradient is None",
        guide="`backward` returns None, but the true gradient is not zero",
        messages={
            "dropped_none.message": (
                "{output} changes with {input}, but no gradient comes back: the backward of "
                "{function} returns None."
            ),
            "dropped_none.evidence": (
                "A nonzero gradient reached {function}; for argument {argument} of forward, its "
                "backward returned None."
            ),
        },
    ),
    DiagnosisInfo(
        code="detached",
        title="Detached from the graph",
        guide="the result has lost its history: a `.detach()`, NumPy, `no_grad`",
        messages={
            "detached.whole": (
                "{output} changes with {input}, but the graph does not connect them. Look for "
                ".detach(), .data, torch.no_grad(), .item() or NumPy."
            ),
            "detached.whole.evidence": "No path leads from {output} to {input} in the graph.",
            "detached.zero": (
                "{output} changes with {input}, but no gradient comes back: the part of the graph "
                "that would carry it is cut."
            ),
            "detached.part": (
                "Part of {output} is computed from a detached {input}, so the gradient lacks the "
                "contribution of that part."
            ),
            "detached.part.evidence": (
                "Without these cuts, autograd's Jacobian agrees with the numerical one."
            ),
            "detached.repair": "Remove the operations that cut the graph.",
            "detached.left_torch": (
                "Part of {output} is computed from values of {input} that have left torch, so the "
                "gradient lacks their contribution."
            ),
            "detached.left_torch.evidence": (
                "Everything else is computed by functions of torch, whose gradients are correct."
            ),
            "detached.no_output": (
                "{problem} The graph is cut: look for .detach(), .data, torch.no_grad(), .item() "
                "or NumPy in the function, or for mark_non_differentiable on an output that is "
                "differentiable."
            ),
            "detached.list": (
                "{problem} forward of {function} returns a list, but torch connects tensors with "
                "the graph only if forward returns them directly or in a tuple."
            ),
            "detached.list.evidence": "{function}.apply returns a list.",
            "detached.cut": "{operation} in {line} cuts the graph.",
            "detached.leak": "{operation} in {line} takes values out of torch.",
        },
    ),
    DiagnosisInfo(
        code="ignores_grad_output",
        title="grad_output is ignored",
        guide="`backward` does not multiply by `grad_output`",
        messages={
            "ignores_grad_output.same": (
                "Backward returns the same gradient for {input} whatever grad_output is. Multiply "
                "the local derivative by grad_output."
            ),
            "ignores_grad_output.nonlinear": (
                "The gradient of {input} is not linear in grad_output: for the sum of two incoming "
                "gradients, backward does not return the sum of the two results. If this is "
                "intended, as for gradient clipping, what gradcheck returns means nothing; if not, "
                "multiply by grad_output once, and by nothing else that depends on it."
            ),
            "ignores_grad_output.term": (
                "A term of the gradient of {input} is not multiplied by grad_output: it stays the "
                "same whatever grad_output is. Multiply every term by grad_output once."
            ),
            "ignores_grad_output.evidence.zeros": "For a grad_output of zeros, it returns zeros.",
            "ignores_grad_output.evidence.values": (
                "For a grad_output of zeros, it returns values up to {largest:.3g}."
            ),
            "ignores_grad_output.output": (
                "Backward does not use the gradient of {output}: no input gets a gradient from it, "
                "although {output} changes with {input}."
            ),
            "ignores_grad_output.output.alone": (
                "Backward uses the gradient of {output} only together with those of other outputs: "
                "alone, it gives no input a gradient, although {output} changes with {input}."
            ),
            "ignores_grad_output.output.evidence": "The gradients of other outputs are used.",
        },
    ),
    DiagnosisInfo(
        code="nonfinite_gradient",
        title="NaN or Inf gradient",
        guide=(
            "backward returns NaN or Inf where the derivative is finite: a division by zero, a root"
        ),
        is_observation=True,
        messages={
            "nonfinite_gradient.message": (
                "The gradient of {input} from {output} is {value} at {place}, where the derivative "
                "is finite."
            ),
            "nonfinite_gradient.op": (
                "The gradient of {input} from {output} is {value} at {place}, where the derivative "
                "is finite. In backward, {operation} is the first to return {first} for finite "
                "values."
            ),
            "nonfinite_gradient.op.at": (
                "The gradient of {input} from {output} is {value} at {place}, where the derivative "
                "is finite. In backward, {operation} in {line} is the first to return {first} for "
                "finite values."
            ),
            "nonfinite_gradient.evidence": (
                "{nonfinite} of {count} analytical values are NaN or Inf where the numerical ones "
                "are finite."
            ),
            "nonfinite_gradient.besides": (
                "Where all values are finite, the gradient of {input} has another mistake. {found}"
            ),
            "nonfinite_gradient.besides.evidence": (
                "This was measured with other input values, for which nothing is NaN or Inf."
            ),
        },
    ),
    DiagnosisInfo(
        code="wrong_some_indices",
        title="Wrong for some indices only",
        guide="right except for some rows, columns or elements: a mask, a slice, padding",
        messages={
            "wrong_some_indices.shifted.later": (
                "The gradient of {input} from {output} is shifted: along {along}, each value is "
                "found one index too late. Look for an index that is one too large, such as t + 1 "
                "for t."
            ),
            "wrong_some_indices.shifted.earlier": (
                "The gradient of {input} from {output} is shifted: along {along}, each value is "
                "found one index too early. Look for an index that is one too small, such as t - 1 "
                "for t."
            ),
            "wrong_some_indices.shifted.evidence": (
                "In all {count} rows, the analytical values are the numerical ones of the next "
                "index."
            ),
            "wrong_some_indices.reordered.halves": (
                "The gradient of {input} from {output} has the right values, but its two halves "
                "along {along} are exchanged: index {index} has the values of index {other}. "
                "Exchange them back."
            ),
            "wrong_some_indices.reordered.other": (
                "The gradient of {input} from {output} has the right values, but in the wrong "
                "order along {along}: index {index} has the values of index {other}. Look for a "
                "permutation that should be inverted, or for a gradient that is written to another "
                "index."
            ),
            "wrong_some_indices.reordered.evidence": (
                "For {count} of {size} indices, the analytical values are the numerical ones of "
                "another index, and of no other."
            ),
            "wrong_some_indices.wrong": (
                "The gradient of {input} from {output} is wrong only at some indices: {where}; it "
                "is correct elsewhere. Look for a mask, a slice or padding that backward handles "
                "differently from forward."
            ),
            "wrong_some_indices.lost": (
                "The gradient of {input} from {output} is wrong only at some indices: {where}; no "
                "gradient comes back there. Look for a mask, a slice or padding that backward "
                "handles differently from forward."
            ),
            "wrong_some_indices.evidence.input.one": (
                "{wrong} of {count} elements of {name} is wrong; all others are correct."
            ),
            "wrong_some_indices.evidence.input": (
                "{wrong} of {count} elements of {name} are wrong; all others are correct."
            ),
            "wrong_some_indices.evidence.output": (
                "The gradient that comes from {wrong} of {count} elements of {name} is wrong; from "
                "all others, it is correct."
            ),
            "wrong_some_indices.where": "where {condition}",
            "wrong_some_indices.where_too": "{indices} (that is, {condition})",
            "wrong_some_indices.zero": "{name} is zero",
            "wrong_some_indices.not_zero": "{name} is not zero",
            "wrong_some_indices.negative": "{name} is negative",
            "wrong_some_indices.positive": "{name} is positive",
            "wrong_some_indices.at_least": "{name} is {bound:.3g} or more",
            "wrong_some_indices.at_most": "{name} is {bound:.3g} or less",
            "wrong_some_indices.on_diagonal": "on the diagonal of {name}",
            "wrong_some_indices.off_diagonal": "off the diagonal of {name}",
            "wrong_some_indices.above_diagonal": "above the diagonal of {name}",
            "wrong_some_indices.below_diagonal": "below the diagonal of {name}",
            "wrong_some_indices.on_or_above_diagonal": "on or above the diagonal of {name}",
            "wrong_some_indices.on_or_below_diagonal": "on or below the diagonal of {name}",
            "wrong_some_indices.on_border": "on the border of {name}",
            "wrong_some_indices.more": "{elements} and {count} more",
        },
    ),
    DiagnosisInfo(
        code="masked_gradient",
        title="Gradient masked to specified elements",
        guide="a sparse input gets a gradient only at its specified elements",
        messages={
            "masked_gradient.message": (
                "Backward returns no gradient for some elements of {input}; the gradients of the "
                "others are correct. If the missing ones are unspecified elements of a sparse "
                "input, the gradient is masked: to_dense() does this, to_dense(masked_grad=False) "
                "does not. With masked=True (--masked), only the specified elements are compared."
            ),
        },
    ),
    DiagnosisInfo(
        code="sparse_mismatch",
        title="Wrong gradient of a sparse input",
        guide="wrong for a sparse input, for which gradviz does not look for causes",
        severity="doubt",
        is_observation=True,
        messages={
            "sparse_mismatch.message": (
                "Backward returns a wrong gradient for {input}. For sparse inputs, gradviz does "
                "not test the causes it recognizes for dense ones."
            ),
        },
    ),
    DiagnosisInfo(
        code="straight_through",
        title="Straight-through gradient",
        guide="the gradient passes as if `forward` did nothing; usually on purpose",
        messages={
            "straight_through.identity": (
                "This is a straight-through gradient. Moving {elements} of {input} by eps does not "
                "change {output} at all, as when forward rounds, takes the sign or compares, so "
                "the numerical Jacobian is zero. Backward passes the gradient through unchanged "
                "(the analytical Jacobian is the identity). If this is intended, the two differ on "
                "purpose, and gradcheck cannot return True."
            ),
            "straight_through.diagonal": (
                "This is a straight-through gradient. Moving {elements} of {input} by eps does not "
                "change {output} at all, as when forward rounds, takes the sign or compares, so "
                "the numerical Jacobian is zero. Backward passes the gradient through scaled "
                "element by element (the analytical Jacobian is diagonal). If this is intended, "
                "the two differ on purpose, and gradcheck cannot return True."
            ),
            "straight_through.saturates": (
                "For {count} of {total} elements, moving {input} by eps does not change {output} "
                "at all, as where forward clamps or masks: the numerical gradient is zero there. "
                "Backward passes the gradient through there too. This is a straight-through "
                "gradient if it is intended; if not, a mask is missing."
            ),
            "straight_through.saturates.evidence": (
                "The other {count} elements are correct, and those that saturate get the same "
                "gradient."
            ),
            "straight_through.step": (
                "This is a straight-through gradient: in the gradient of {inputs}, backward passes "
                "the gradient through {call} unchanged, although its derivative is zero. If this "
                "is intended, the two Jacobians differ on purpose, and gradcheck cannot return "
                "True."
            ),
            "straight_through.consequence": (
                "The gradient of {input} depends on how backward differentiates {call}, which is "
                "constant in steps. The gradient is passed straight through there for another "
                "input, so the difference is probably a consequence of that."
            ),
            "straight_through.saturating": (
                "In the gradient of {inputs}, backward passes the gradient through {call} also "
                "where its derivative is zero. This is a straight-through gradient if it is "
                "intended; if not, a mask is missing."
            ),
            "straight_through.any": "any of the {count} elements",
            "straight_through.only": "the only element",
        },
    ),
    DiagnosisInfo(
        code="constant_forward",
        title="Forward is constant",
        guide="`forward` does not depend on the input, but `backward` returns a gradient",
        messages={
            "constant_forward.message": (
                "Moving {input} by eps does not change {output} at all, so the numerical Jacobian "
                "is zero: {output} does not depend on {input}, or is piecewise constant here. Yet "
                "backward returns a gradient for {input} that comes from {output}. If {output} "
                "does not depend on it, leave this term out; if none is left, return None."
            ),
        },
    ),
)
