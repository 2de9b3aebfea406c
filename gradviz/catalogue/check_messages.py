"""Message templates for checks of Jacobians: problems, trials, variations and references."""

from __future__ import annotations

MESSAGES_CHECK: dict[str, str] = {
    # Settings with which no check can run.
    "settings.not_positive": "{name} must be greater than 0, not {value}.",
    "settings.infinite": "{name} must be finite.",
    "settings.negative": "{name} must not be negative, but it is {value}.",
    "settings.needs": "{name} needs {value}: the one compares what the other computes.",
    "settings.nothing": (
        "Without backward_mode, forward_mode must be on, or nothing would be compared."
    ),
    "check.more_printed.one": "(Further evaluations printed {count} more line.)",
    "check.more_printed.more": "(Further evaluations printed {count} more lines.)",
    "scaled.evidence": (
        "At this tolerance nothing could be compared: the derivatives of {output} with respect to"
        " {input} are at most {largest:.3g}, and atol is {atol:g}. So {output} was multiplied by"
        " {factor:g}."
    ),
    # Problems other than a differing element, by code.
    "problem.nothing_requires_grad": (
        "No input requires a gradient, so there is nothing to check. Set requires_grad=True on at"
        " least one."
    ),
    "problem.parameters_left_out": (
        "The module's parameters have {count:,} elements, more than {most:,}, so only its inputs"
        " were checked. Fast mode (--fast) checks the parameters too."
    ),
    "problem.overlapping_input": (
        "Elements of {name} share memory (a dimension has stride 0). Call .contiguous() on it"
        " before the check."
    ),
    "problem.no_values": (
        "{name} is on the device meta: it has a shape but no values, so nothing can be compared."
        " Check with tensors on the CPU or an accelerator."
    ),
    "problem.no_values.fake": (
        "{name} is a FakeTensor: it has a shape but no values, so nothing can be compared. Check"
        " outside of FakeTensorMode."
    ),
    "problem.nested_input": (
        "{name} is a nested tensor, which gradcheck does not support. Check with its parts, and"
        " create the nested tensor in the function."
    ),
    "problem.unsupported_layout": (
        "The layout of {name} is {layout}, which gradcheck does not support. Call to_dense() on it"
        " before returning it."
    ),
    "problem.no_tensor_output": (
        "The function returns no tensor ({types}), so there is nothing to compare. Return tensors:"
        " autograd tracks nothing else."
    ),
    "problem.nested_output": (
        "The tensors in {name} cannot be compared because it is a {type}. Return tensors directly"
        " or in one flat tuple."
    ),
    "problem.low_precision.half": (
        "{name} is {dtype}: a step of eps={eps:g} mostly measures rounding error. Cast it to"
        " {wide}, since no step size works well in half precision."
    ),
    "problem.low_precision.step": (
        "{name} is {dtype}: a step of eps={eps:g} mostly measures rounding error. Cast it to"
        " {wide}, or check with eps={good_eps:g}, atol={atol:g}, and rtol={rtol:g}."
    ),
    "problem.low_precision": (
        "{name} is {dtype}, for which finite differences are accurate to about {atol:g} at best."
        " Cast it to {wide} for a stricter check."
    ),
    "problem.no_float64": (
        "{name} is {dtype}, for which finite differences are accurate to about {atol:g} at best,"
        " and {device} has no float64. Check it in {wide} on the CPU for a stricter check."
    ),
    "problem.cast": (
        "The inputs were cast from {dtypes} to full precision, since finite differences are too"
        " inaccurate in {dtypes}."
    ),
    "problem.cast_refused": (
        "The function runs in {dtypes}, but fails when its inputs are cast to float64."
    ),
    "problem.cast_refused.step": (
        "The function runs in {dtypes}, but fails when its inputs are cast to float64. Check it"
        " without the cast, using eps={eps:g}, atol={atol:g}, and rtol={rtol:g}."
    ),
    "problem.not_differentiable": (
        "No output requires a gradient, so there are no Jacobians to compare."
    ),
    "problem.not_differentiable.second": (
        "No gradient has an autograd history, so there are no second derivatives to compare."
    ),
    "problem.numerical_not_zero": (
        "No output requires a gradient, yet {output} changes with {name}."
    ),
    "problem.numerical_not_zero.second": (
        "No gradient has an autograd history, yet {output} changes with {name}."
    ),
    "problem.bug": (
        "The check ended early because of a bug in gradviz ({file}, line {line}): {error}"
    ),
    "problem.examination_failed": (
        "Part of the search for causes failed because of a bug in gradviz ({file}, line {line}),"
        " so more may be wrong than is reported: {error}"
    ),
    "problem.pass_gradient": (
        "Backward pass {number} of the program gives {received} for {name}, but finite differences "
        "of the program give {numerical}. This is intended if the program detaches a value or "
        "changes a gradient."
    ),
    "problem.program_not_compared.random": (
        "The program's backward passes were not compared with finite differences, because two "
        "identical runs gave different values."
    ),
    "problem.program_not_compared.time": (
        "Some gradients of the program's backward passes were not compared with finite "
        "differences, because that took more than {s:g} s."
    ),
    "problem.program_not_compared.copy": (
        "The program's backward passes were not compared with finite differences, because its "
        "arguments cannot be copied: {reason}"
    ),
    "problem.reference_unfit": "The reference cannot be compared: {reason}",
    "problem.raised.function": "The function raised {error}",
    "problem.raised.backward": "Backward raised {error}",
    "problem.raised.backward_from": "Backward from {output} raised {error}",
    "problem.raised.zero_gradients": "Backward from zero gradients raised {error}",
    "problem.raised.further": "After further evaluations, backward raised {error}",
    "problem.raised.perturbed_function": (
        "With {name} perturbed slightly, the function raised {error}"
    ),
    "problem.raised.perturbed_backward": "With {name} perturbed slightly, backward raised {error}",
    "problem.output_changed": "When {name} is perturbed slightly, {change}.",
    "problem.gradient_form": (
        "The gradient of {name} from {output} does not match the input in shape or dtype."
    ),
    "problem.nondeterministic": (
        "Two identical backward passes from {output} give gradients of {name} that differ by up to"
        " {spread:.3g}; nondet_tol allows at most {tolerance:g}."
    ),
    "problem.not_multiplied": (
        "Backward returns a nonzero gradient for {name} although all incoming gradients are zero,"
        " so it does not multiply every term by grad_output."
    ),
    "problem.not_multiplied.nonfinite": (
        "Although all incoming gradients are zero, backward returns NaN or Inf for {name}, at"
        " {count} of its elements."
    ),
    "problem.undefined_gradient.nonfinite": (
        "With an undefined gradient for {output} and no nonzero incoming gradient, backward returns"
        " NaN or Inf for {name}."
    ),
    "problem.undefined_gradient.raised": (
        "With an undefined gradient for {output}, backward raised {error}"
    ),
    "problem.undefined_gradient.raised_every": (
        "With an undefined gradient for every output, backward raised {error}"
    ),
    "problem.undefined_gradient": (
        "With an undefined gradient for {output} and no nonzero incoming gradient, backward still"
        " returns a nonzero gradient for {name}."
    ),
    "problem.undefined_gradient.every": (
        "With an undefined gradient for every output, backward still returns a nonzero gradient"
        " for {name}."
    ),
    "problem.forward_mode.raised": "Forward mode (jvp) raised {error}",
    "problem.forward_mode": (
        "Forward mode (jvp) and finite differences give different derivatives of {output} with"
        " respect to {name}."
    ),
    "problem.forward_mode.undefined": (
        "Forward mode (jvp) gives a different result when {name} has no tangent than when its"
        " tangent is zero."
    ),
    "problem.option.backward_mode": (
        "As requested, backward was not compared: the analytical Jacobians are those of forward"
        " mode (jvp)."
    ),
    "problem.option.undefined": "As requested, no undefined gradients were tried.",
    "problem.option.batched_forward": (
        "As requested, vmap over forward mode (jvp) was compared with separate evaluations, too."
    ),
    "problem.option.masked": (
        "As requested, only the specified elements of sparse inputs were varied; the gradient has"
        " to be zero at all others."
    ),
    "problem.option.noncontiguous": (
        "As requested, the incoming gradients are not contiguous where their sizes allow it."
    ),
    "problem.option.grad_outputs": (
        "The incoming gradients are the given ones; those that require a gradient were varied."
    ),
    "problem.batched_forward": (
        "vmap over forward mode (jvp) gives different derivatives with respect to {name} than"
        " separate evaluations do."
    ),
    "problem.batched_forward.raised": (
        "vmap over forward mode (jvp) with respect to {name} raised {error}"
    ),
    "problem.fast_mode": (
        "The Jacobian of {output} with respect to {name}, multiplied by random vectors on both"
        " sides, is {ours} from backward but {theirs} from finite differences."
    ),
    "problem.batched_gradient": (
        "vmap over backward from {output} gives different gradients of {name} than separate"
        " backward passes do."
    ),
    "problem.batched_gradient.raised": "vmap over backward from {output} raised {error}",
    "problem.batched_gradient.crashes": (
        "The backward of {function} reads .data of a gradient, which crashes the interpreter under"
        " vmap. Batched gradients were not checked."
    ),
    "problem.nothing_to_differentiate": (
        "No output requires a gradient, so there is no backward to differentiate."
    ),
    "problem.once_differentiable": (
        "The backward of {functions} is marked once_differentiable, so it cannot be differentiated"
        " again. gradgradcheck sees zeros instead of second derivatives and reports a mismatch."
    ),
    "problem.once_differentiable.declared": (
        "The backward of {functions} is declared once_differentiable, so it has no second"
        " derivatives to check. gradgradcheck would report a mismatch."
    ),
    "problem.once_differentiable.passes": (
        "The backward of {functions} is marked once_differentiable, so it cannot be differentiated"
        " again. gradgradcheck sees zeros instead of second derivatives, which happens to be"
        " correct."
    ),
    "problem.gradient_without_history": (
        "The gradient of {name} has no autograd history, so gradgradcheck ignores it. Yet it"
        " changes with {names}: second derivatives through it are silently lost. Usually backward"
        " returns it detached."
    ),
    # What an exception was, where, and its message; ends the sentences above.
    "described": "{kind}",
    "described.message": "{kind}: {message}",
    "described.at": "{kind} in {file}, line {line} ({function})",
    "described.at.message": "{kind} in {file}, line {line} ({function}): {message}",
    # Names of arguments and outputs that have none, and other parts of a sentence.
    "name.argument": "argument {number}",
    "name.output": "output {number}",
    "name.only_output": "output",
    "name.grad_output": "grad_output {number}",
    "name.saved": "saved tensor {number}",
    "name.saved_of": "saved tensor {number} of {function}",
    "name.ctx_of": "ctx.{attribute} of {function}",
    "name.a_function": "a Function",
    "name.a_custom_function": "a custom Function",
    "name.each_input": "each input",
    "names.more": "{names} and more",
    "line_of_file": "{file}, line {line}",
    # How an output changed when an input was perturbed.
    "changed.no_tensor": "output {number} is not a tensor",
    "changed.shape": "output {number} changes its shape",
    "changed.form": "output {number} is {found} instead of {expected}",
    # A double backward that has lost a gradient's history.
    "missing_history": (
        "The gradient of {name} has lost its autograd history: backward returns it detached, or"
        " computes it from detached values. Double backward silently treats it as a constant, and"
        " gradgradcheck ignores it."
    ),
    "missing_history.changes": "It has no autograd history, yet it changes with {names}.",
    # Forward mode on what has no tangents.
    "forward_mode.layout": "forward mode supports only dense inputs, but the layout is {layout}",
    # The reference implementation.
    "reference.replayed": "forward itself, differentiated by autograd",
    "reference.raised": "{title} raised {error}",
    "reference.no_grad": "output {number} of {title} does not require a gradient.",
    "reference.backward_raised": "Differentiating {title} raised {error}",
    "reference.count": "{title} returns {found} instead of {expected} outputs.",
    "reference.shape": (
        "output {number} of {title} differs in shape from that of the checked function."
    ),
    "reference.differs": (
        "output {number} of {title} differs by up to {distance:.3g} from that of the checked"
        " function."
    ),
    # A tensor that is held constant to find a forgotten term.
    "held.result": "the result of {function}",
    "held.result.at": "the result of {function} ({file}, line {line})",
    "held.value": "`{call}`",
    "held.value.at": "`{call}` ({file}, line {line})",
    "held.result_in": "the result of {function} in `{call}`",
    "held.result_in.at": "the result of {function} in `{call}` ({file}, line {line})",
    "held.operand_in": "operand {number} of {function} in `{call}`",
    "held.operand_in.at": "operand {number} of {function} in `{call}` ({file}, line {line})",
    "held.value_in": "`{operand}` in `{call}`",
    "held.value_in.at": "`{operand}` in `{call}` ({file}, line {line})",
    "held.operand": "operand {number} of {function}",
    "held.operand.at": "operand {number} of {function} ({file}, line {line})",
    # Trials with unusual incoming gradients: their names.
    "incoming.random": "grad_output dense, random values",
    "incoming.transposed": "grad_output transposed",
    "incoming.sliced": "grad_output sliced (every second element)",
    "incoming.channels_last": "grad_output channels_last",
    "incoming.offset": "grad_output dense, with a storage offset",
    "incoming.expanded": "grad_output expanded (stride 0), as after sum()",
    "incoming.expanded_first": "grad_output expanded along dimension 0, as after sum(0)",
    "incoming.zeros": "grad_output zeros",
    "incoming.none": "grad_output None",
    "incoming.none.every": "every grad_output None",
    "incoming.none.one": "gradient of {name} None",
    "incoming.scaled": "grad_output scaled by {factor:g}",
    "incoming.nan": "grad_output with one NaN",
    # Their results.
    "tried.raised": "Backward raised {error}",
    "tried.random.writes": "Backward modifies grad_output in place.",
    "tried.random.varies": (
        "Two identical passes give different gradients, so no other result can be compared with"
        " them."
    ),
    "tried.random": "Two identical passes give the same gradients.",
    "tried.layout.varies": "The result varies between runs, so it cannot be judged.",
    "tried.layout.raised": "With grad_output strides {strides}, backward raised {error}",
    "tried.layout.differs": (
        "With grad_output strides {strides}, the gradients differ: {difference}."
    ),
    "tried.layout.writes": (
        "With grad_output strides {strides}, the gradients are correct, but backward modifies"
        " grad_output in place."
    ),
    "tried.layout": (
        "With grad_output strides {strides}, the gradients match those for a dense grad_output."
    ),
    "tried.zeros.differs": "With zeros, the gradients are not zero: {difference}.",
    "tried.zeros": "The gradients are zero as well.",
    "tried.none.differs": "With None instead of zeros, the gradients differ: {difference}.",
    "tried.none": "The gradients match those for zeros.",
    "tried.scaled.differs": (
        "With grad_output scaled by {factor:g}, the gradients are not: {difference}. Backward is"
        " not linear."
    ),
    "tried.scaled": "The gradients are scaled by {factor:g} as well.",
    "tried.nan.lost": "The NaN is lost in backward: no gradient is NaN.",
    "tried.nan.one": "{count} of {total} elements of the gradients becomes NaN.",
    "tried.nan.more": "{count} of {total} elements of the gradients become NaN.",
    # The largest difference between what was found and what was expected.
    "difference.gradient": "the gradient of {name} is {found} instead of {expected}",
    "difference.gradient.element": (
        "element [{index}] of the gradient of {name} is {found} instead of {expected}"
    ),
    "difference.output": "{name} is {found} instead of {expected}",
    "difference.output.element": "element [{index}] of {name} is {found} instead of {expected}",
    # What the failed trials have in common.
    "battery.mutates_grad_output": (
        "Backward modifies its incoming gradient in place. That tensor belongs to the caller:"
        " others may read it afterwards, and after sum() all its elements share one memory"
        " location. gradcheck does not detect this; work on a clone."
    ),
    "battery.mutates_grad_output.named": (
        "The backward of {functions} modifies its incoming gradient in place. That tensor belongs"
        " to the caller: others may read it afterwards, and after sum() all its elements share one"
        " memory location. gradcheck does not detect this; work on a clone."
    ),
    "battery.stride_blind": (
        "Backward is correct if the incoming gradient is contiguous and starts at storage offset 0,"
        " as in gradcheck, but not always: it fails for {layouts}. Read it through its strides, or"
        " call grad_output.contiguous() first and respect its storage offset. gradcheck does not"
        " detect this."
    ),
    "battery.stride_blind.wrong": (
        "Backward returns different gradients for the same incoming values in another memory"
        " layout: it fails for {layouts}. Read the incoming gradient through its strides, or"
        " call grad_output.contiguous() first and respect its storage offset."
    ),
    "battery.stride_blind.wrong.raises": (
        "Backward raises an error for some memory layouts of the incoming gradient: it fails"
        " for {layouts}. Read it through its strides, or call grad_output.contiguous() first."
    ),
    # Variations of the inputs: their names.
    "variation.empty": "empty: {shapes}",
    "variation.size": "size {size}: {shapes}",
    "variation.small": "small sizes",
    "variation.none": "{name} None",
    "variation.only": "only {name} requires a gradient",
    "variation.all_but": "all but {name} require a gradient",
    "variation.transposed": "{name} transposed",
    "variation.sliced": "{name} sliced (every second element)",
    "variation.expanded": "{name} expanded (stride 0)",
    "variation.zero_dimensional": "zero-dimensional",
    "variation.device": "on {device}",
    "variation.more": "more variations",
    # Their results.
    "varied.refused": "Forward does not accept these inputs: {error}",
    "varied.not_finite": "The output contains Inf or NaN, so it cannot be compared.",
    "varied.no_grad": "No output requires a gradient.",
    "varied.no_baseline": (
        "The baseline run with the same values fails or gives Inf or NaN, so there is nothing to"
        " compare with."
    ),
    "varied.random": "Forward draws random numbers, which differ between dtypes and devices.",
    "varied.unsupported": "torch does not support this: {error}",
    "varied.raised": "Backward raised {error}",
    "varied.differs": "Results differ: {difference}.",
    "varied.shape": "Results differ: an output or gradient has a different shape.",
    "varied.same": "Outputs and gradients are the same up to rounding.",
    "varied.too_many": "There are too many elements to compute their Jacobians.",
    "varied.agree.none": "There are no elements to compare, and nothing raised an error.",
    "varied.agree.one": "Both Jacobians agree in their only element.",
    "varied.agree.more": "Both Jacobians agree in all {count} elements.",
    "varied.real_only": (
        "The Jacobians differ, but the function may be meant for real numbers only."
    ),
    "varied.failed": "This variation could not be judged: {error}",
    "varied.left_out.one": "{count} more was left out; at most {limit} are tried.",
    "varied.left_out.more": "{count} more were left out; at most {limit} are tried.",
    "varied.diagnosis": "The given inputs pass, but others do not. {variation}: {message}",
    "varied.row": "{variation}: {message}",
}
