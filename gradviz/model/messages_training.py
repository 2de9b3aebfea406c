"""The sentences of training: what an optimizer does, and what hooks and checkpoints do."""

from __future__ import annotations

MESSAGES_TRAINING = {
    "phase.update": "Optimizer step {number}: {told}",
    "optimizer.against": (
        "{optimizer}.step moves {parameters} against {gradients}, by lr times the gradient;"
        " lr = {lr}."
    ),
    "optimizer.its_gradient": "its gradient",
    "optimizer.their_gradients": "their gradients",
    "optimizer.moved": "{optimizer}.step moves {parameters}; {settings}.",
    "optimizer.moved.plain": "{optimizer}.step moves {parameters}.",
    "optimizer.nothing": "{optimizer}.step moves nothing.",
    "optimizer.without": "Without a gradient, and left as it was: {names}.",
    "optimizer.same": "Left as it was, though it has a gradient: {names}.",
    "optimizer.unfinished": "{optimizer}.step begins with {parameters}, and does not return.",
    "optimizer.setting": "{name} = {value}",
    "rerun.custom": "A checkpoint runs {function}.forward again, to save anew what it threw away.",
    "rerun.builtin": "A checkpoint runs {op} again, to save anew what it threw away.",
}
"""As in `gradviz.model.messages`."""
