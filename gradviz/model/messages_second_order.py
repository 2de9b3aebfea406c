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
        ".backward computes it where autograd does not see. Nothing of it counts in a second"
        " derivative." + _LOST_REMEDY
    ),
    "cut.once.whole": (
        "The gradient for {gradient} has no history, since {function}.backward is declared"
        " once_differentiable and its grad_output is a constant: no error node warns that nothing"
        " of it counts in a second derivative. Take the declaration away if backward can be"
        " differentiated."
    ),
    "cut.skipped": (
        "The second derivative has no part through {functions}, which is declared"
        " once_differentiable: its error node leads to no input, so it was never executed and"
        " nothing was raised. Make backward differentiable, or call backward() to get the error."
    ),
}
"""Places where a second derivative loses something, by why."""
