"""Message templates for exports, reports of Jacobian checks, and the Python API returning them."""

MESSAGES_REPORT = {
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
    "matrix.spread": "spread",
    "matrix.sample": "a sample of the {count} elements",
    # Heatmaps.
    "heatmap.untitled": "Jacobians",
    "heatmap.rows": "rows: {name}, {shape}",
    "heatmap.columns": "columns: {name}, {shape}",
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
}
