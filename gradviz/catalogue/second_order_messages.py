"""Message templates for higher-order derivatives: backward passes and cuts in history."""

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
    "The gradient for {gradient} has no history, although it depends on tensors that have one: "
)
_PART = "Part of the gradient for {gradient} is cut off from its history: "
_WHOLE_END = ". It contributes nothing to a second derivative."
_PART_END = ". That part is missing from a second derivative."

MESSAGES_SECOND_ORDER = {
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
"""Templates by key, as in `gradviz.catalogue.messages`."""
