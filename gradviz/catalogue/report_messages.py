"""Message templates for exports and reports of Jacobian checks, and why not to rely on a result."""

from __future__ import annotations

MESSAGES_REPORT: dict[str, str] = {
    # How a check ended. The verdict is a clause; `.second` is about second derivatives.
    "outcome.passed": "Passed: {verdict}.",
    "outcome.failed": "Failed: {verdict}.",
    "outcome.none": "No result: {verdict}.",
    "verdict.match": "the analytical and the numerical Jacobians match",
    "verdict.match.second": "the analytical and the numerical Jacobians of its backward match",
    "verdict.mismatch": "the analytical and the numerical Jacobians do not match",
    "verdict.mismatch.second": (
        "the analytical and the numerical Jacobians of its backward do not match"
    ),
    "verdict.inconclusive": (
        "inconclusive in {precision}: the Jacobians differ, but only by rounding errors"
    ),
    "verdict.inconclusive.second": (
        "inconclusive in {precision}: the Jacobians of its backward differ, but only by rounding"
        " errors"
    ),
    "verdict.low_precision": "low precision",
    "verdict.error": "it could not be checked",
    "verdict.error.second": "its backward could not be checked",
    "verdict.incomplete": "the check was canceled",
    "verdict.incomplete.second": "the check of its backward was canceled",
    "verdict.broken_rule": "the Jacobians match, but backward breaks a rule",
    "verdict.broken_rule.second": (
        "the Jacobians of its backward match, but its backward breaks a rule"
    ),
    "verdict.numerical_not_zero": "an output depends on an input, but no output requires grad",
    "verdict.numerical_not_zero.second": (
        "its gradients depend on their inputs, but none of them requires grad"
    ),
    "verdict.fast_mode": "products of the Jacobians with random vectors do not match",
    "verdict.fast_mode.second": (
        "products of the Jacobians of its backward with random vectors do not match"
    ),
    "verdict.forward_mode": "the Jacobians match, but the forward-mode Jacobians do not",
    "verdict.forward_mode.second": (
        "the Jacobians of its backward match, but the forward-mode Jacobians do not"
    ),
    "verdict.tangent": "the Jacobians match, but forward mode breaks a rule",
    "verdict.tangent.second": "the Jacobians of its backward match, but forward mode breaks a rule",
    "verdict.batched_forward": (
        "the Jacobians match, but vmap over forward mode gives a different result"
    ),
    "verdict.batched_gradient": (
        "the Jacobians match, but vmap over backward gives a different result"
    ),
    "verdict.batched_gradient.second": (
        "the Jacobians of its backward match, but the Jacobians under vmap do not"
    ),
    "verdict.nothing_compared.not_differentiable": (
        "no output requires a gradient, so there are no Jacobians to compare"
    ),
    "verdict.nothing_compared.not_differentiable.second": (
        "no gradient has an autograd history, so there are no Jacobians to compare"
    ),
    "verdict.missed": "the Jacobians match, but gradcheck misses an error",
    "verdict.missed.second": (
        "the Jacobians of its backward match, but gradgradcheck misses an error"
    ),
    "verdict.only_forward_mode": (
        "backward matches the numerical Jacobians, but forward mode (jvp) does not"
    ),
    "verdict.nothing_compared.once_differentiable.second": (
        "its backward is declared once_differentiable, so there are no Jacobians to compare"
    ),
    "verdict.once_differentiable": "its backward cannot be differentiated",
    # Settings of a check.
    "settings.dtype": "{dtype} on {device}",
    "settings.device": "on {device}",
    "settings.tolerances": "eps {eps:g}, atol {atol:g}, rtol {rtol:g}, nondet_tol {nondet_tol:g}",
    "settings.evaluations.one": "{count} evaluation",
    "settings.evaluations.more": "{count} evaluations",
    "option.cast": "cast from {dtype}",
    "option.nudge": "inputs shifted by {least:g} to {most:g}",
    "option.forward_mode": "with forward mode",
    "option.batched": "with batched gradients",
    "option.fast": "fast mode: products with random vectors first",
    "option.reference": "compared with {reference}",
    # A pair of an output and an input, and its elements.
    "pair.output": 'output {number} "{name}"',
    "pair.input": 'input {number} "{name}"',
    "pair.real": "{output} (real part)",
    "pair.imag": "{output} (imaginary part)",
    "pair.match.one": "match, {count} element",
    "pair.match.more": "match, {count} elements",
    "pair.mismatch": "mismatch, {wrong} of {count} wrong",
    "pair.mismatch.worst": "mismatch, {wrong} of {count} wrong; worst {element}",
    "pair.element": "{row} / {column}: analytical {analytical}, numerical {numerical}",
    "name.input": "input {number}",
    # Diagnoses and problems.
    "report.diagnosis": "diagnosis [{code}]: {message}",
    "report.diagnosis.at": "diagnosis [{code}] {place}: {message}",
    "report.more_diagnoses.one": "And {count} more diagnosis.",
    "report.more_diagnoses.more": "And {count} more diagnoses.",
    "report.evidence": "evidence: {text}",
    "report.repair": "repair: {text}",
    "report.problem": "problem: {message}",
    "report.hint": "hint: {message}",
    # Measurements.
    "report.trials.incoming": "other incoming gradients: {passed} of {count} pass",
    "report.trials.variation": "other inputs: {passed} of {count} pass",
    "report.curve": "error against eps at {element}:",
    "report.element": "output {output}, input {input}, row {row}, column {column}",
    "report.computed_at": "gradient computed at {places}",
    "report.more_elements": "and {count} more",
    "report.forward_mode": "forward mode: {wrong} of {count} wrong",
    "report.reference": "reference: agrees with {agree} of {count} numerical elements",
    "report.matrix": "{name} (rows: {rows}, columns: {columns})",
    "report.printed": "Output of the first calls:",
    "report.as_text": "Full report as text",
    "matrix.numerical": "numerical",
    "matrix.analytical": "analytical",
    "matrix.difference": "difference (a − n)",
    "matrix.forward": "forward mode",
    "matrix.reference": "reference",
    "matrix.repaired": "repaired",
    "matrix.spread": "spread",
    "matrix.sample": "a sample of the {count} elements",
    # Heatmaps.
    "heatmap.untitled": "Jacobians",
    "heatmap.pooled": "each cell shows the largest of {rows}×{columns} elements",
    "heatmap.magnitudes": "colors show magnitudes",
    "heatmap.below": "below 0",
    "heatmap.above": "above 0",
    "heatmap.wrong": "outside the tolerance",
    "heatmap.left_out.one": "{count} more pair is not shown.",
    "heatmap.left_out.more": "{count} more pairs are not shown.",
    # Suggested next checks.
    "suggest.cast": "Check in float64 with --cast.",
    "suggest.eps": "Try another step size with --eps.",
    "suggest.elements": (
        "Fast mode compares no single elements; run without --fast to compare all."
    ),
    "suggest.first_order": (
        "The second-order check compares backward with itself, so a wrong but consistent backward"
        " passes. Check the first order too (--order 1)."
    ),
    # Exports.
    "export.no_step": "There is no step {number}; this trace has steps 1 to {last}.",
    "export.no_graph": "This trace has no graph: nothing in it was differentiable.",
    "export.too_large": "{why}",
    "export.closed": "The run was closed before its export was done. Open it and export it again.",
    "export.no_pair": "There is no pair {pair}; available pairs: {names}.",
    "export.no_pair.none": "There is no pair {pair}: the check compared no pairs.",
    "export.no_values": "The tensor cannot be copied or saved: its values were not kept ({why}).",
    "export.sample": (
        "The tensor cannot be copied or saved: only {kept} of its {count} elements were kept."
    ),
    "export.too_many": (
        "{count} elements are too many for text (at most {most}). Save the tensor as .npy instead."
    ),
    "export.encoding": "{path} could not be encoded: {reason}.",
    "export.no_ffmpeg": (
        "FFmpeg was not found. Install it, or set IMAGEIO_FFMPEG_EXE to the path of the program."
    ),
    "export.no_tensors": "This trace keeps no elements of tensors.",
    "export.too_many_tensors": (
        "A .safetensors file cannot hold the table of so many tensors. Export an .npz file instead."
    ),
    "tensors.damaged": "its elements are damaged",
    # JUnit XML.
    "junit.order": "{subject}, order {order}",
    "junit.whole": "the function as a whole",
    "junit.no_report": "The check produced no report.",
    # Arguments of `gradviz.check`.
    "argument.callable": "{name} must be callable, not {type}",
    "argument.level": "there is no level {value}; available levels: {names}",
    "load.no_value": "step {step} has no value {name}; its values are {names}",
    "load.not_whole": "not all elements of this tensor are in the trace: {reason}",
    "load.not_stored": "the elements of this tensor are not in the trace: {reason}",
    "argument.inputs": "inputs must be a tensor, a tuple or a list, not {type}",
    "argument.names": "names must be strings",
    "argument.names.count.one": "names must have one name for the only input",
    "argument.names.count.more": "names must have one name for each of the {count} inputs",
    "argument.order": "order must be 1 or 2, not {value}",
    "argument.grad_outputs": "grad_outputs must be a tensor, or a tuple or list of tensors",
    "argument.grad_outputs.order": "grad_outputs need order=2, which checks backward",
    "argument.forward_mode": "forward_mode must be auto, on or off, not {value}",
    # A recording that has no steps to count yet.
    "recorder.not_started": "not started",
    "recorder.running": "recording",
    # `gradviz.graph`.
    "graph.title": "Graph of {names}",
    "graph.without_run": (
        "No steps were recorded, so this is only the graph. Gradients, source lines, and values"
        " that were not saved for backward are unknown."
    ),
    "graph.params": "params must be a module or a dict of names and tensors, not {type}",
    "graph.no_graph": (
        "There is no graph to draw: none of the given values is a tensor with a grad_fn. Pass the"
        " result of a computation in which something requires a gradient, outside of"
        " torch.no_grad()."
    ),
    "graph.suffix": "{path} must end in {suffixes}",
    # The result of `gradviz.check`.
    "result.no_matrix": "There is no matrix {kind}; available: {names}.",
    "result.no_pair_number.one": "There is no pair {number}; this check has {count} pair.",
    "result.no_pair_number.more": "There is no pair {number}; this check has {count} pairs.",
    "result.no_png": "{path} must end in .png",
    # The numerical Jacobian is wrong, or cannot be right.
    "numerical.float32_noise": (
        "The gradient of {name} is correct. The numerical Jacobian is inaccurate: forward computes"
        " in {dtype}, where a step of {eps:g} mostly measures rounding errors. Check everything in"
        " float64, or use a larger eps and larger tolerances."
    ),
    "numerical.float32_noise.eps": (
        "The gradient of {name} is correct. The numerical Jacobian is inaccurate: forward computes"
        " in {dtype}, where a step of {eps:g} mostly measures rounding errors. Compute everything"
        " in float64, or use eps {best:g}."
    ),
    "numerical.float32_noise.inside": (
        "The gradient of {name} is correct. The numerical Jacobian is inaccurate: a part of forward"
        " computes in float32 inside of float64 code, for example in a float32 buffer or in NumPy."
        " A step of {eps:g} mostly measures its rounding errors. Compute this part in float64, or"
        " use eps {best:g}."
    ),
    "numerical.float32_noise.half": (
        "The gradient of {name} cannot be judged precisely: forward computes in {dtype}, where a"
        " step of {eps:g} is lost in rounding errors. With a larger step, the difference is no"
        " larger than those. Let forward run in float64, and check it there."
    ),
    "numerical.eps_sensitive.large": (
        "The gradient of {name} is correct. The numerical Jacobian is inaccurate: eps {eps:g} is"
        " so large that the function is not nearly linear within a step. Use eps {best:g}."
    ),
    "numerical.eps_sensitive.small": (
        "The gradient of {name} is correct. The numerical Jacobian is inaccurate: eps {eps:g} is"
        " so small that its effect is lost in rounding. Use eps {best:g}."
    ),
    "numerical.eps_sensitive.drowned": (
        "The gradient of {name} cannot be judged at this step: the effect of eps {eps:g} is lost in"
        " the rounding of such a large output. Use eps {best:.1g}, or remove the large value from"
        " the output."
    ),
    "numerical.eps_sensitive.open": (
        "The gradient of {name} cannot be judged at this step: the effect of eps {eps:g} is lost in"
        " the rounding of such a large output. Remove the large value from the output and check"
        " again. Until then, the gradient is neither confirmed nor refuted."
    ),
    "numerical.kink": (
        "The function has a kink at this point and has no derivative there, so the gradient of"
        " {name} cannot be judged. Move the point a little."
    ),
    "numerical.kink.jump": (
        "The function jumps at this point and has no derivative there, so the gradient of {name}"
        " cannot be judged. Move the point a little."
    ),
    "numerical.kink.unseen": (
        "The function has no derivative at this point, for example because it picks one of several"
        " equal inputs, so the gradient of {name} cannot be judged. Move the point a little."
    ),
    # What was measured.
    "measured.float64": "With everything cast to float64, at eps {eps:g}, all elements agree.",
    "measured.unchanged": (
        "For steps up to about {step:g}, a part of the output does not change at all, as if its"
        " input were rounded to float32."
    ),
    "measured.moved": "With every input moved by {least:g} to {most:g}, all elements agree.",
    "measured.best": (
        "At {element}, the difference is {error:.3g} at eps {eps:g}, and {best_error:.3g} at eps"
        " {best:g}."
    ),
    "measured.within_rounding": (
        "At {element}, the difference is {error:.3g} at eps {step:g}, where rounding errors alone"
        " may reach {floor:.3g}."
    ),
    "measured.agree.one": "At eps {steps}, the only wrong element agrees.",
    "measured.agree.more": "At eps {steps}, all {count} wrong elements agree.",
    "measured.second_order": (
        "For second derivatives, forward means forward and backward, and backward means the"
        " backward of both."
    ),
    "measured.at_moved_point": (
        "This was measured with the inputs moved by {least:g} to {most:g}, in case of a kink."
        " Indices and bounds hold for the moved values, not for the given ones."
    ),
    "measured.noise.one": (
        "The output is as large as {largest:.3g}. Its rounding alone puts errors of up to"
        " {noise:.3g} into the numerical Jacobian, and the only wrong element is off by no more"
        " than a few times that."
    ),
    "measured.noise.more": (
        "The output is as large as {largest:.3g}. Its rounding alone puts errors of up to"
        " {noise:.3g} into the numerical Jacobian, and none of the {count} wrong elements is off by"
        " more than a few times that."
    ),
    "measured.rounding": (
        "At eps {eps:.1g}, numerical and analytical values agree to within {share:.1%}, as far as"
        " rounding allows."
    ),
    "measured.unresolved.one": "For {count} element, no step gives a usable numerical value.",
    "measured.unresolved.more": "For {count} elements, no step gives a usable numerical value.",
    "measured.kink": (
        "At {element}, the one-sided differences are {gap:.3g} apart at eps {eps:g}. This gap does"
        " not shrink with eps, as happens only at a kink."
    ),
    "measured.jump": (
        "At {element}, the one-sided differences are {gap:.3g} apart at eps {eps:g}. This gap grows"
        " as 1/eps, as at a jump."
    ),
    "measured.not_the_step": (
        "eps is not the cause: at {element}, the difference is about {error:.3g} for {count} values"
        " of eps between {first:g} and {last:g}."
    ),
    "measured.element": "{input} / {output}",
    # Identical runs give different results.
    "random.nondeterministic": (
        "Identical calls of {stage} give different results, so no Jacobian can be measured. Draw"
        " random numbers outside and pass them in, or fix the seed inside."
    ),
    "random.seed": "With the same seed, the results are equal: the function draws random numbers.",
    "random.generator": "It draws from its own random generator.",
    "random.unseeded": "With the same seed, the results still differ.",
    "differ.backward": "Two backward passes from the same forward differ by up to {distance:.3g}.",
    "differ.both": ("The gradients of two identical forward calls differ by up to {distance:.3g}."),
    "differ.forward": (
        "Two identical forward calls differ by up to {distance:.3g}. Divided by 2 eps, this puts an"
        " error of {noise:.3g} into the numerical Jacobian."
    ),
    "state.depends": (
        "The result of {stage} depends on something that is not an argument: identical calls give"
        " different results."
    ),
    "state.depends.values": (
        "The result of {stage} depends on something that is not an argument: identical calls give"
        " different results, and the value of {names} changes from call to call."
    ),
    "state.depends.ctx": (
        "The result of {stage} depends on something that is not an argument: identical calls give"
        " different results, and the state of ctx changes from call to call."
    ),
    "state.first_backward": "The first backward after each forward always gives the same result.",
    "state.drifts": "Over {count} further calls, the results drift in one direction.",
    "state.after_others": "They differ only after calls with other values in between.",
    "state.stuck": (
        "Forward returns the same outputs whatever its inputs are: it returns what it stored in an"
        " earlier call. Do not keep values that depend on the arguments from one call to the next."
    ),
    "state.stuck.stored": "The output is stored in {names}.",
    "state.fails.second_backward": (
        "One forward and backward succeed, but a second backward from the same forward fails:"
        " something other than the arguments has changed in between."
    ),
    "state.fails.second_forward": (
        "One forward and backward succeed, but a second forward fails: something other than the"
        " arguments has changed in between."
    ),
    "state.fails.later_backward": (
        "One forward and backward succeed, but backward after another forward fails: something"
        " other than the arguments has changed in between."
    ),
    "state.fails.raised": "It raised {error}",
    "state.latest_forward": (
        "Backward uses values of the most recent forward instead of its own: after a forward with"
        " other values in between, the gradients are different. Usually a value is stored on the"
        " class, on self or in a global variable. Store it on ctx."
    ),
    "state.latest_forward.differ": "The gradients differ by up to {distance:.3g}.",
    "state.latest_forward.equal": "Without the forward in between, they are equal.",
    # Tensors changed in place.
    "damage.forward": (
        "Forward changes {names} in place, but neither calls ctx.mark_dirty nor returns it. Later"
        " uses, including the next evaluation of this check, see the changed values. Work on a copy"
        " (.clone()), or mark it as dirty and return it."
    ),
    "damage.backward": (
        "Backward changes {names} in place, so another backward from the same forward (with"
        " retain_graph=True, or element by element as in this check) computes with the changed"
        " values. Work on a copy (.clone())."
    ),
    "damage.besides": (
        "This was measured with a new forward for each backward, so that nothing was damaged."
    ),
    "damage.refused": (
        "A tensor saved for backward is changed in place before backward uses it, so torch raises"
        " an error. Work on a copy (.clone())."
    ),
    "damage.refused.raised": (
        "Backward raised an error: a saved tensor no longer has the version that was saved."
    ),
    "damage.stored": (
        "Forward changes {names} in place after storing it for backward, so backward computes with"
        " the wrong values. Work on a copy (.clone())."
    ),
    "damage.stored.agree": "With the values as they were when stored, all elements agree.",
    "damage.change.shape": "After one {stage}, {name} has shape {after} instead of {before}.",
    "damage.change.bits": (
        "After one {stage}, {name} has different bits for equal values, such as -0 for 0."
    ),
    "damage.change.number": "After one {stage}, {name} changed from {before} to {after}.",
    "damage.change.one": (
        "After one {stage}, {count} of {total} elements differs: {name}[{index}] changed from"
        " {before} to {after}."
    ),
    "damage.change.more": (
        "After one {stage}, {count} of {total} elements differ: {name}[{index}] changed from"
        " {before} to {after}."
    ),
}
