"""Message templates of ``gradviz doctor``, for findings, and for cuts in history."""

from __future__ import annotations

_SAVED = (
    "{value} was saved in forward but is neither an input nor an output, so autograd "
    "treats it as a constant"
)
_CONTEXT = (
    "ctx.{value} was computed in forward, which records no history, so autograd treats "
    "it as a constant"
)
_REMEDY = (
    " Recompute the value in backward, return it as an output of forward, or decorate "
    "backward with @once_differentiable."
)
_LOST = "{value} in {function}.backward removed the history"
_LOST_REMEDY = (
    " Compute the gradient from grad_output and the saved tensors with ops that autograd "
    "sees, or decorate backward with @once_differentiable."
)
_WHOLE = (
    "The gradient of {function} for {gradient} has no history, although it depends on tensors that "
    "have one: "
)
_PART = "Part of the gradient of {function} for {gradient} is cut off from its history: "
_WHOLE_END = ". It contributes nothing to a second derivative."
_PART_END = ". That part is missing from a second derivative."
"""Templates by key, as in `gradviz.catalogue.templates`."""

MESSAGES_DOCTOR: dict[str, str] = {
    "doctor.line": "{place}: {rule} {severity}: {text}",
    "doctor.finding": "{rule} {severity}: {text}",
    "doctor.severity.error": "error",
    "doctor.severity.warning": "warning",
    "doctor.severity.info": "style",
    "doctor.nothing.one": "No problem found by the rule that was checked.",
    "doctor.nothing.more": "No problems found by the {count} rules that were checked.",
    "doctor.coverage.files.one": "{file}",
    "doctor.coverage.files.more": "{count} files",
    "doctor.coverage.examples.one": "{count} example",
    "doctor.coverage.examples.more": "{count} examples",
    "doctor.coverage.calls.one": "{count} call",
    "doctor.coverage.calls.more": "{count} calls",
    "doctor.coverage.nothing.call": (
        "{name}: nothing was checked, as there is no source of a custom Function to read, and no "
        "inputs to call it with."
    ),
    "doctor.coverage.nothing.one": (
        "{file}: nothing was checked, as it defines no custom Function, and none of its examples "
        "was run."
    ),
    "doctor.coverage.nothing.more": (
        "{count} files: nothing was checked, as they define no custom Function, and none of their "
        "examples was run."
    ),
    "doctor.coverage.read.one": "{file}: {checked} of {count} rule was read from the source.",
    "doctor.coverage.read.more": "{file}: {checked} of {count} rules were read from the source.",
    "doctor.coverage.run.one": (
        "{file}: {checked} of {count} rule was checked, in the source and in {examples}."
    ),
    "doctor.coverage.run.more": (
        "{file}: {checked} of {count} rules were checked, in the source and in {examples}."
    ),
    "doctor.coverage.unchecked.one": "The rule {rules} needs a run: {why}.",
    "doctor.coverage.unchecked.more": "{count} rules need a run ({rules}): {why}.",
    "doctor.coverage.no_run": "leave out --no-run",
    "doctor.coverage.no_examples": "declare inputs in EXAMPLES",
    "doctor.coverage.failed": "none of the examples could run",
    "doctor.coverage.no_inputs": "give gradviz.doctor the inputs of a call",
    "doctor.coverage.file": "the command gradviz doctor runs the examples of a file",
    "doctor.coverage.partly.one": "Of those that were read, {count} sees more in a run.",
    "doctor.coverage.partly.more": "Of those that were read, {count} see more in a run.",
    "doctor.coverage.second_order.one": (
        "The rule {rules} is seen only where a run differentiates twice, with create_graph=True."
    ),
    "doctor.coverage.second_order.more": (
        "The rules {rules} are seen only where a run differentiates twice, with create_graph=True."
    ),
    "doctor.coverage.transform.one": (
        "The rule {rules} is seen only where a run uses a transform of torch.func."
    ),
    "doctor.coverage.transform.more": (
        "The rules {rules} are seen only where a run uses a transform of torch.func."
    ),
    "doctor.coverage.values.call": (
        "Whether the gradients are right was not checked: gradviz.check compares them with "
        "numerical ones."
    ),
    "doctor.coverage.values.one": (
        "Whether the gradients are right was not checked: gradviz check {file} compares them with "
        "numerical ones."
    ),
    "doctor.coverage.values.more": (
        "Whether the gradients are right was not checked: gradviz check FILE.py compares them with "
        "numerical ones."
    ),
    "doctor.summary": "Found {counts}.",
    "doctor.count.error.one": "{count} error",
    "doctor.count.error.more": "{count} errors",
    "doctor.count.warning.one": "{count} warning",
    "doctor.count.warning.more": "{count} warnings",
    "doctor.count.info.one": "{count} style hint",
    "doctor.count.info.more": "{count} style hints",
    "doctor.no_target": "Name a Python file or a folder. See gradviz doctor --help.",
    "doctor.bad_target": "{target!r} is neither a folder nor of the form FILE.py or FILE.py:NAME.",
    "doctor.unreadable": "{path} cannot be read: {problem}",
    # Pages of the guide.
    "doctor.page.facts": "Severity: {severity}. How it is found: {evidence}. Code: `{code}`.",
    "doctor.page.likely": "There are exceptions: look at the code before you change it.",
    "doctor.page.why": "Why",
    "doctor.page.bad": "Against the rule",
    "doctor.page.good": "Within the rule",
    "doctor.page.ignore": (
        "To accept a violation, end its line with `# gradviz: ignore[{rule}]`. On the line of a "
        "`def` or `class`, the comment accepts it in the whole definition."
    ),
    "doctor.evidence.run": "observed in a recorded run",
    "doctor.evidence.source": "read from the source",
    "doctor.evidence.torch": "refused by torch",
    "doctor.unknown_rule": "There is no rule {name}. `gradviz doctor --rules` lists them.",
    "doctor.bad_project": "{path} cannot be read: {problem}",
    "doctor.bad_list": "{name} in [tool.gradviz] of {path} must be a list of rules.",
    "doctor.not_run": "{name} was not run to its end: {problem}",
    "doctor.only_read": "{path} was only read: its examples could not run. {problem}",
    "doctor.empty_folder": "{path} contains no Python file.",
    "doctor.no_examples": "{path} was only read, not run: {problem}",
    "finding.where": "{function}.{method}",
    "finding.where.line": "{function}.{method} (line {line})",
    "finding.refused": "{summary} {remedy}",
    "finding.one_number": "[] (a scalar)",
    "finding.gradients.one": "one gradient",
    "finding.gradients": "{count} gradients",
    "finding.arguments.one": "one input",
    "finding.arguments": "{count} inputs ({names})",
    "finding.repeated.one": "{message} Likewise in {count} later step.",
    "finding.repeated.more": "{message} Likewise in {count} later steps.",
    "finding.freed_graph.pass": "backward pass {number}",
    "finding.freed_graph.pass.line": "backward pass {number} (line {line})",
    "finding.freed_graph.node": "{node} of {op} (line {line})",
    "finding.freed_graph": "{node} can't run again: {first} has freed what it saved.",
    "finding.freed_graph.through": (
        "This pass comes to it through {carrier}, which uses {name} from before that pass."
    ),
    "finding.freed_graph.through.unnamed": (
        "This pass comes to it through {carrier}, which uses a tensor from before that pass."
    ),
    "finding.freed_graph.carried": (
        "If gradients should not flow back that far, as into an earlier iteration, call detach() "
        "on {name} between the iterations."
    ),
    "finding.freed_graph.carried.unnamed": (
        "If gradients should not flow back that far, as into an earlier iteration, call detach() "
        "on that tensor."
    ),
    "finding.freed_graph.kept": (
        "This pass goes through {carrier}, which uses {name} from an earlier iteration, back into "
        "the graph that retain_graph=True has kept from backward pass {number} (line {line}). "
        "{write} has since overwritten {saved}, which {saver} saved, so torch raises an error. "
        "Call detach() on {name} between the iterations, and remove retain_graph=True."
    ),
    "finding.freed_graph.built_once": (
        "Line {line} has run only once, and each pass needs a graph of its own: compute this part "
        "again for each pass. If it should not get gradients, call detach() on its result."
    ),
    "finding.freed_graph.shared": (
        "Add up the losses and run a single pass, or set retain_graph=True in the earlier one."
    ),
    "finding.freed_graph.cut": (
        "Or call detach() on {name} for the loss that should not reach that part."
    ),
    "finding.freed_graph.cut.unnamed": (
        "Or call detach() on that tensor for the loss that should not reach that part."
    ),
    "finding.numpy_unseen": (
        "In {where}, values computed outside torch come in through {names}: autograd "
        "does not see how they were computed, so backward must be written by hand, as it "
        "is here."
    ),
    "cut.saved.whole": _WHOLE + _SAVED + _WHOLE_END + _REMEDY,
    "cut.saved.part": _PART + _SAVED + _PART_END + _REMEDY,
    "cut.context.whole": _WHOLE + _CONTEXT + _WHOLE_END + _REMEDY,
    "cut.context.part": _PART + _CONTEXT + _PART_END + _REMEDY,
    "cut.lost.whole": _WHOLE + _LOST + _WHOLE_END + _LOST_REMEDY,
    "cut.lost.part": _PART + _LOST + _PART_END + _LOST_REMEDY,
    "cut.unseen.whole": (
        "The gradient for {gradient} has no history, although grad_output has one: "
        "{function}.backward computes it outside autograd or without grad_output. It "
        "contributes nothing to a second derivative." + _LOST_REMEDY
    ),
    "cut.once.whole": (
        "The gradient for {gradient} has no history, because {function}.backward is "
        "decorated with @once_differentiable and its grad_output is a constant: no error "
        "node warns that the gradient contributes nothing to a second derivative. Remove "
        "the decorator if backward can be differentiated."
    ),
    # The same in short, at the step where it happens.
    "cut.at.whole": (
        "The gradient for {gradient} has no history {cause}, so it contributes nothing "
        "to a second derivative."
    ),
    "cut.at.part": (
        "Part of the gradient for {gradient} has no history {cause}, so that part will "
        "be missing from a second derivative."
    ),
    "cut.at.whole.several": (
        "The gradients for {gradient} have no history {cause}, so they contribute "
        "nothing to a second derivative."
    ),
    "cut.at.part.several": (
        "Parts of the gradients for {gradient} have no history {cause}, so those parts "
        "will be missing from a second derivative."
    ),
    "cut.cause.saved": "because forward saved {value}, which autograd treats as constant",
    "cut.cause.context": "because forward computed {value} without one",
    "cut.cause.lost": "because a call in backward removes it",
    "cut.cause.lost.line": "because line {line} removes it",
    "cut.cause.unseen": ("because backward computes it outside autograd or without grad_output"),
    "cut.cause.once": "because backward is decorated with @once_differentiable",
    # At the end of a pass that ran through a cut.
    "cut.missing.whole": (
        "The result treats the gradient for {gradient} as a constant: its history was "
        "cut at step {step}."
    ),
    "cut.missing.part": (
        "Part of the result is missing: part of the gradient for {gradient} was cut off "
        "from its history at step {step}."
    ),
    # In the drawn graph.
    "order.second": "2nd order",
    "order.third": "3rd order",
    "order.higher": "{order}th order",
    "order.short.second": "2nd",
    "order.short.third": "3rd",
    "order.short.higher": "{order}th",
    "drawing.made_by": "created by {node}",
    "drawing.cut": "× cut: gradient for {gradient}",
    "drawing.cut.ended": "× cut: history ends",
    "drawing.cut.end": "in line {line}",
    "drawing.cut.whole": "has no history",
    "drawing.cut.part": "part of it has no history",
    "drawing.cut.value": "treated as constant: {value}",
    "drawing.kind.cut": "cut: no history, so no second derivative",
    "drawing.kind.error": "raises when executed",
    # The order of derivative that a pass computes.
    "begin.second": (
        "It differentiates the gradients from backward pass {passes}, which gives a "
        "second derivative."
    ),
    "begin.third": (
        "It differentiates the gradients from backward pass {passes}, which gives a "
        "third derivative."
    ),
    "begin.higher": (
        "It differentiates the gradients from backward pass {passes}, which gives a "
        "derivative of order {order}."
    ),
    # Explanations of torch's errors.
    "error.no_history.constant": (
        "There is no history to differentiate: none of the gradients from backward pass "
        "{number} has one, although it ran with create_graph=True."
    ),
    "error.no_history.first_order": (
        "There is no history to differentiate: backward pass {number} ran without "
        "create_graph=True, so the gradients that it returned are constants."
    ),
    "error.once": (
        "{function}.backward is decorated with @once_differentiable: the gradients that "
        "it returned have an error node instead of a history, and this pass reached it."
    ),
    "cut.skipped": (
        "The result has no contribution through the gradient of {function}, whose "
        "backward is decorated with @once_differentiable: its error node leads to none "
        "of the requested inputs, so it was not executed and raised nothing. Make "
        "backward differentiable, or call backward() to get the error."
    ),
}
