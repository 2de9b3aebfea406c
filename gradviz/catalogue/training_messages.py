"""Message templates for training: optimizer steps, losses, hooks and checkpoints."""

from __future__ import annotations

MESSAGES_TRAINING = {
    "training.leaf": "leaf {number}",
    "phase.update": "Optimizer step {number}: {told}",
    "optimizer.against": (
        "{optimizer}.step updates {parameters} by -lr times {gradients}, with lr = {lr}."
    ),
    "optimizer.its_gradient": "its gradient",
    "optimizer.their_gradients": "their gradients",
    "optimizer.moved": "{optimizer}.step updates {parameters} ({settings}).",
    "optimizer.moved.plain": "{optimizer}.step updates {parameters}.",
    "optimizer.nothing": "{optimizer}.step updates nothing.",
    "optimizer.without": "Unchanged because of a missing gradient: {names}.",
    "optimizer.same": "Unchanged despite a gradient: {names}.",
    "optimizer.unfinished": "{optimizer}.step starts with {parameters} but does not return.",
    "optimizer.setting": "{name} = {value}",
    "optimizer.group_setting": "{name} = {value} in group {group}",
    "training.told": "Training: {told}",
    "training.loss.falls": "{name} falls from {first} to {last} in {count} passes.",
    "training.loss.rises": "{name} rises from {first} to {last} in {count} passes.",
    "training.loss.goes": "{name} goes from {first} to {last} in {count} passes.",
    "training.loss.stays": "{name} is {last} in both the first and the last of {count} passes.",
    "training.loss.one": "{name} is {last} in the first pass.",
    "training.norm.moved_by": "norm of .grad",
    "training.norm.after_pass": "norm of .grad",
    "training.norms.moved_by": "L2 norms of the total .grad that the optimizer used.",
    "training.norms.after_pass": "L2 norms of the total .grad after each pass.",
    "training.zeros": "{count} norms are 0 and cannot be shown on a logarithmic axis.",
    "training.zeros.one": "One norm is 0 and cannot be shown on a logarithmic axis.",
    "training.unknown": "{count} norms are not drawn because they are NaN, Inf or unknown.",
    "training.unknown.one": "One norm is not drawn because it is NaN, Inf or unknown.",
    "hook.replaced": "A hook on {name} ({hooks}) changes its gradient from {before} to {after}.",
    "hook.replaced.elements": (
        "A hook on {name} ({hooks}) changes its gradient: {count} of {total} elements, by {most} "
        "at most."
    ),
    "hook.after.elements": (
        "A hook on {name} ({hooks}) runs after the accumulation and changes .grad: {count} of "
        "{total} elements, by {most} at most."
    ),
    "hook.after": (
        "A hook on {name} ({hooks}) runs after the accumulation and changes .grad from "
        "{before} to {after}."
    ),
    "hook.node": "A hook on {of} ({hooks}) changes {name} from {before} to {after}.",
    "hook.node.elements": (
        "A hook on {of} ({hooks}) changes {name}: {count} of {total} elements, by {most} at most."
    ),
    "hook.of_module": "module {module}",
    "hook.retained": "Because retain_grad() was called on {name}, its .grad is now {value}.",
    "hook.tensor": "an unnamed tensor",
    "hook.input": "an input of module {module}",
    "hook.unknown": "since removed",
    "hook.value": "{shape} with norm {norm}",
    "shared_parameter": (
        "{name} is also {others}: several modules share this parameter. The gradients of "
        "all its uses accumulate in one .grad."
    ),
    "order.first": "created in the backward pass",
    "rerun": "Recomputed by a checkpoint: {sentence}",
    "rerun.unfinished": "The checkpoint stops as soon as it has everything that it needs.",
    "forced_eager": (
        "During recording, code passed to torch.compile runs eagerly, so that each of "
        "its steps is visible. Compiled, it would run in fewer kernels and might round "
        "differently."
    ),
}
"""Templates by key, as in `gradviz.catalogue.messages`."""
