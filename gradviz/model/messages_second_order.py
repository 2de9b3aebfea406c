"""The catalogue's templates for derivatives of derivatives: passes, and where histories are cut."""

_SAVED = (
    "{value} was saved by forward and is neither an input nor an output itself, so autograd takes"
    " it for a constant"
)
_CONTEXT = (
    "ctx.{value} was computed in forward, where nothing gets a history, so autograd takes it for a"
    " constant"
)
_REMEDY = (
    " Recompute it in backward, return it as an output of forward, or declare backward"
    " once_differentiable."
)
_LOST = "{value} in {function}.backward took the history away"
_LOST_REMEDY = (
    " Compute the gradient from grad_output and what was saved without leaving autograd, or declare"
    " backward once_differentiable."
)
_WHOLE = "The gradient for {gradient} has no history although it depends on what has one: "
_PART = "A part of the gradient for {gradient} is cut off from its history: "
_WHOLE_END = ". Nothing of it counts in a second derivative."
_PART_END = ". That part is missing in a second derivative."

MESSAGES_SECOND_ORDER = {
    "cut.saved.whole": _WHOLE + _SAVED + _WHOLE_END + _REMEDY,
    "cut.saved.part": _PART + _SAVED + _PART_END + _REMEDY,
    "cut.context.whole": _WHOLE + _CONTEXT + _WHOLE_END + _REMEDY,
    "cut.context.part": _PART + _CONTEXT + _PART_END + _REMEDY,
    "cut.lost.whole": _WHOLE + _LOST + _WHOLE_END + _LOST_REMEDY,
    "cut.lost.part": _PART + _LOST + _PART_END + _LOST_REMEDY,
    "cut.unseen.whole": (
        "The gradient for {gradient} has no history although grad_output has one: {function}"
        ".backward computes it where autograd does not see, or without grad_output. Nothing of it"
        " counts in a second derivative." + _LOST_REMEDY
    ),
    "cut.once.whole": (
        "The gradient for {gradient} has no history, since {function}.backward is declared"
        " once_differentiable and its grad_output is a constant: no error node warns that nothing"
        " of it counts in a second derivative. Take the declaration away if backward can be"
        " differentiated."
    ),
    # Where it happens, shortly.
    "cut.at.whole": (
        "The gradient for {gradient} has no history, {cause}: nothing of it counts in a second"
        " derivative."
    ),
    "cut.at.part": (
        "A part of the gradient for {gradient} has no history, {cause}: it will be missing in a"
        " second derivative."
    ),
    "cut.at.whole.several": (
        "The gradients for {gradient} have no history, {cause}: nothing of them counts in a second"
        " derivative."
    ),
    "cut.at.part.several": (
        "A part of the gradients for {gradient} has no history, {cause}: it will be missing in a"
        " second derivative."
    ),
    "cut.cause.saved": "since {value} is neither an input nor an output",
    "cut.cause.context": "since forward computed {value} without one",
    "cut.cause.lost": "since a call in backward takes it away",
    "cut.cause.lost.line": "since line {line} takes it away",
    "cut.cause.unseen": (
        "since backward computes it where autograd does not see, or without grad_output"
    ),
    "cut.cause.once": "since backward is declared once_differentiable",
    # At the end of a pass that ran through it.
    "cut.missing.whole": (
        "The gradient for {gradient} counts as a constant in it: its history was cut at step"
        " {step}."
    ),
    "cut.missing.part": (
        "A part of it is missing: of the gradient for {gradient}, a part was cut off from its"
        " history at step {step}."
    ),
    # In the picture of the graph.
    "order.second": "2nd order",
    "order.third": "3rd order",
    "order.higher": "{order}th order",
    "drawing.made_by": "made by {node}",
    "drawing.cut": "× cut: gradient for {gradient}",
    "drawing.cut.whole": "has no history",
    "drawing.cut.part": "a part has no history",
    "drawing.cut.value": "{value} counts as a constant",
    "drawing.kind.cut": "cut: no history, so no second derivative",
    "drawing.kind.error": "raises when it is executed",
    # Of what a pass computes.
    "begin.second": (
        "It differentiates what backward pass {passes} made, which gives a second derivative."
    ),
    "begin.third": (
        "It differentiates what backward pass {passes} made, which gives a third derivative."
    ),
    "begin.higher": (
        "It differentiates what backward pass {passes} made, which gives a derivative of order"
        " {order}."
    ),
    # Errors of torch, in our words.
    "error.no_history.constant": (
        "What was to be differentiated has no history: none of the gradients of backward pass"
        " {number} has one, although it ran with create_graph=True."
    ),
    "error.no_history.first_order": (
        "What was to be differentiated has no history: backward pass {number} ran without"
        " create_graph=True, so that the gradients it returned are constants."
    ),
    "error.once": (
        "{function}.backward is declared once_differentiable: the gradients that it returned have"
        " an error node in the place of a history, and this pass came to it."
    ),
    "cut.skipped": (
        "The result has no part through the gradient of {function}, whose backward is declared"
        " once_differentiable: its error node leads to no input that was asked for, so it was not"
        " executed and nothing was raised. Make backward differentiable, or call backward() to get"
        " the error."
    ),
}
"""Places where a second derivative loses something, by why."""
