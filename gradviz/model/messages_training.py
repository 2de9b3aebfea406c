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
    "training.told": "Training: {told}",
    "training.loss.falls": "{name} falls from {first} to {last} in {count} passes.",
    "training.loss.rises": "{name} rises from {first} to {last} in {count} passes.",
    "training.loss.goes": "{name} goes from {first} to {last} in {count} passes.",
    "training.loss.stays": "{name} is {last} in the first and the last of {count} passes.",
    "training.loss.one": "{name} is {last} in the first pass.",
    "training.norm.moved_by": "norm of .grad",
    "training.norm.after_pass": "norm of .grad",
    "training.norms.moved_by": "Norms: L2, of the total .grad that the optimizer used.",
    "training.norms.after_pass": "Norms: L2, of the total .grad that a pass left.",
    "training.zeros": "Zero has no place on a logarithmic axis: {count} norms are 0.",
    "training.zeros.one": "Zero has no place on a logarithmic axis: one norm is 0.",
    "training.unknown": "Not drawn, as NaN, Inf, or not known: {count} norms.",
    "training.unknown.one": "Not drawn, as NaN, Inf, or not known: one norm.",
    "hook.replaced": "A hook on {name}, {hooks}, changes its gradient from {before} to {after}.",
    "hook.after": (
        "A hook on {name}, {hooks}, runs after the accumulation and changes {name}.grad from"
        " {before} to {after}."
    ),
    "hook.retained": "As {name}.retain_grad() asks for it, {name}.grad is {value} now.",
    "hook.tensor": "a tensor without a name",
    "hook.unknown": "taken off since",
    "hook.value": "{shape} of norm {norm}",
    "shared_parameter": (
        "{name} is also {others}: one parameter, which several modules have. The gradients of all"
        " its uses are added up in one .grad."
    ),
    "order.first": "made in the backward pass",
    "rerun": "Run again by a checkpoint: {sentence}",
    "rerun.unfinished": "A checkpoint stops where it has all that it needs.",
    "forced_eager": (
        "While it is recorded, code given to torch.compile runs as it stands, so that each of its"
        " steps is seen. Compiled, it would run in fewer kernels, and may round differently."
    ),
    "packed": "packed by saved-tensor hooks into {packed}",
}
"""As in `gradviz.model.messages`."""
