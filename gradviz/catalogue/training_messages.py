"""Messages on training: mistakes, the flow of gradients, and the memory of a pass."""

from __future__ import annotations

MESSAGES_TRAINING = {
    "flow.layer": "Layer",
    "flow.norm": "Norm",
    "flow.zeros": "Zeros",
    "flow.unknown": "NaN, Inf or not recorded",
    "flow.told": "Gradient norms go from {low} ({low_layer}) to {high} ({high_layer}).",
    "flow.told.pass": (
        "Gradient norms of backward pass {number} go from {low} ({low_layer}) to {high} "
        "({high_layer})."
    ),
    "flow.scaled": "These are gradients of a scaled loss.",
    "flow.dead": "All gradients of {names} are 0.",
    "flow.rules": (
        "These are the gradients that the pass adds to .grad, with the layers in the order of "
        "forward. Bars of norms are logarithmic."
    ),
    "memory.where": "Module and node",
    "memory.size": "Saved",
    "memory.freed": "Freed",
    "memory.outside": "outside of modules",
    "memory.kept": "kept",
    "memory.freed_at": "step {first}",
    "memory.freed_range": "steps {first}–{last}",
    "memory.shared": "saved by an earlier node",
    "memory.told.pass": "Saved for backward pass {number}: {size}.",
    "memory.told": "Saved for backward: {size}.",
    "memory.largest": "Largest part: {name}, {size}.",
    "memory.once": "Memory that several saved tensors share counts once, at the first node.",
    "memory.leaves": (
        "Leaves such as parameters are saved too ({size}), but exist anyway and do not count."
    ),
    "memory.unknown.one": "The size of one saved tensor is unknown.",
    "memory.unknown.more": "The size of {count} saved tensors is unknown.",
    "facts.freed": "freed",
    "facts.freed_tip": "Step {number} freed it, because its pass does not retain the graph.",
    "facts.saved_for_pass": "saved for this pass",
    "finding.gradients_not_cleared": (
        "In step {step}, {variable} ({optimizer}, line {line}) uses gradients that still contain "
        "those of step {earlier}, because backward ({lines}) adds to what is left in .grad of "
        "{names}. Call {variable}.zero_grad() in each iteration, before line {begin}."
    ),
    "finding.gradients_not_cleared.closure": (
        "{variable} ({optimizer}, line {update}) calls {closure} several times, and backward in it "
        "(line {begin}) adds to the gradients of the calls before, so {optimizer} computes with "
        "their sum. Call {variable}.zero_grad() first in {closure} (line {line})."
    ),
    "finding.gradients_not_cleared.by_hand": (
        "Line {line} updates {name} with the sum of the gradients of all passes so far, because "
        "backward adds to .grad. Clear it after the update: {name}.grad = None."
    ),
    "finding.gradients_not_cleared.other": (
        "{optimizer}.step (line {update}) also uses gradients that backward in line {begin} "
        "computed for {other} (line {line}), because that loss leads to {names} too. Detach what "
        "it gets from them, as in D(fake.detach())."
    ),
    "finding.gradients_cleared_early.order": (
        "{optimizer}.step (line {update}) comes before backward (line {begin}), and the gradients "
        "of the last iteration are cleared by then, so nothing is learned. Move line {update} "
        "after line {begin}."
    ),
    "finding.gradients_cleared_early.accumulation": (
        "{variable} ({optimizer}, line {update}) uses only the last of {count} backward passes "
        "(line {begin}), because line {line} clears .grad before each of them. To add up the "
        "gradients of all, call zero_grad() only after the step."
    ),
    "finding.gradients_cleared_early": (
        "{optimizer}.step gets none of the gradients of backward pass {number}: they are cleared "
        "before the step, so nothing is learned from them. Call zero_grad() before backward, not "
        "between backward and step."
    ),
    "finding.gradients_cleared_early.line": (
        "{optimizer}.step gets none of the gradients of backward pass {number}: zero_grad() in "
        "line {line} clears them before the step, so nothing is learned from them. Move line "
        "{line} before backward."
    ),
    "finding.gradient_always_zero.flat": (
        "{op} makes each gradient of {names} zero: its derivative is 0 everywhere, so they never "
        "learn. Let the gradient pass unchanged, as in x + ({op}(x) - x).detach(), or use a smooth "
        "function."
    ),
    "finding.gradient_always_zero.dead": (
        "{op} makes each gradient of {names} zero: all of its inputs are in the range where it is "
        "constant. Check the scale and the initial values of the layer before it, or use a "
        "function with a slope there, such as leaky_relu."
    ),
    "finding.gradient_always_zero.weights": (
        "{op} makes each gradient of {names} zero: its weights are zero, and stay so because their "
        "own gradient is zero too. Begin with different random numbers."
    ),
    "finding.gradient_always_zero.saturated": (
        "{op} makes each gradient of {names} zero: its inputs are so large that the result no "
        "longer changes with them. Make them smaller, for example by normalizing them."
    ),
    "finding.gradient_always_zero.underflow": (
        "Each gradient of {names} is zero because it is too small for float16, which rounds "
        "numbers below 3e-8 to 0; the first ones are lost in the backward of {op}. Multiply the "
        "loss by a large factor with torch.amp.GradScaler, or use bfloat16 or float32."
    ),
    "finding.nan_gradient.root": (
        "The gradient of {names} is NaN: {input} of {op} has elements of 0, where the derivative "
        "is infinite, and infinity times 0 is NaN. Add a small number inside of the root, as in "
        "(x + 1e-8).sqrt()."
    ),
    "finding.nan_gradient.norm": (
        "The gradient of {names} is NaN: {input} of {op} has a vector of zeros, where the "
        "derivative of a norm is undefined. Add a small number to the sum of squares before the "
        "root."
    ),
    "finding.nan_gradient.arc": (
        "The gradient of {names} is NaN: {input} of {op} has elements of {value}, where the "
        "derivative is infinite, and infinity times 0 is NaN. Clamp the input to between -1 + 1e-6 "
        "and 1 - 1e-6."
    ),
    "finding.nan_gradient.log": (
        "The gradient of {names} is NaN: {input} of {op} has elements of {value}, where the "
        "derivative is infinite, and infinity times 0 is NaN. Add a small number to the input, or "
        "clamp it."
    ),
    "finding.nan_gradient.division": (
        "The gradient of {names} is NaN: {op} divides by {input}, which has elements of 0. "
        "torch.where after the division does not help, because 0 times infinity is NaN in its "
        "backward. Replace the zeros in {input} before dividing."
    ),
    "finding.nan_gradient.eigenvalues": (
        "The gradient of {names} is NaN: {input} of {op} has equal eigenvalues, and the derivative "
        "of the eigenvectors divides by their difference, 0. If only the eigenvalues are needed, "
        "use eigvalsh; otherwise keep them apart, for example with small different numbers on the "
        "diagonal."
    ),
    "finding.nan_gradient.singular_values": (
        "The gradient of {names} is NaN: {input} of {op} has equal singular values, and the "
        "derivative of the singular vectors divides by their difference, 0. If only the singular "
        "values are needed, use svdvals; otherwise keep them apart, for example with small random "
        "numbers added to the input."
    ),
    "finding.nan_gradient.backward": (
        "The gradient of {names} is NaN: in backward pass {number}, the backward of {op} is the "
        "first to make Inf or NaN, although all values of {op} are finite. Its result is too "
        "large, or not defined there: make the loss or the learning rate smaller, compute this "
        "part in float32, or keep the inputs of {op} where it has a derivative."
    ),
    "finding.nan_in_forward.gradient": "The gradient of {names} is NaN.",
    "finding.nan_in_forward.loss": "The loss is NaN.",
    "finding.nan_in_forward.call": "{op} (line {line})",
    "finding.nan_in_forward.data": (
        "{input} already contains {value} when {call} takes it: that comes with the "
        "data, or from what has prepared them. Look for it with torch.isfinite before that, "
        "and remove or replace those elements."
    ),
    "finding.nan_in_forward.masked_row": (
        "{call} gets a row in which all elements are -inf, and divides by the sum of "
        "their exponentials, 0. Leave at least one element of each row unmasked, or mask with "
        "torch.finfo(x.dtype).min instead of -inf."
    ),
    "finding.nan_in_forward.overflow": (
        "The result of {call} is too large for float16, whose largest number is 65504. "
        "Compute this part in float32 or bfloat16, or make the input smaller."
    ),
    "finding.nan_in_forward.range": (
        "{call} makes the first {value}, from finite inputs. Keep its inputs where the "
        "result is finite, for example with clamp. If the numbers grow from iteration to "
        "iteration, make the learning rate smaller."
    ),
    "finding.layer_not_registered": (
        "{attribute} in line {line} is a plain Python list or dict, so {module} does not know its "
        "{layer} layers: parameters() leaves them out, and no optimizer updates them. Use "
        "nn.{holder}."
    ),
    "finding.layer_not_registered.in_forward": (
        "Line {line} makes a new {layer} in each call of forward: {module} does not know it, so no "
        "optimizer has its parameters, and they begin at random each time. Make it in __init__, as "
        "an attribute."
    ),
    "finding.layer_replaced": (
        "Line {line} replaces {layer} after line {built} gave the old parameters to {optimizer}, "
        "so the new ones get gradients but are never updated. Create the optimizer after the last "
        "change of the model."
    ),
    "finding.layer_replaced.new": (
        "Line {line} makes {layer} after line {built} gave the parameters of another model to "
        "{optimizer}, so those of {layer} get gradients but are never updated. Create the "
        "optimizer from {layer}."
    ),
    "finding.parameter_not_optimized": (
        "No optimizer updates {names}, although backward computes their gradients. If that is "
        "intended, requires_grad_(False) saves the work; otherwise add them to an optimizer."
    ),
    "finding.parameter_not_optimized.own": (
        "No optimizer updates {names}: backward computes gradients that nothing uses, and the "
        "values stay as they were. Add {names} to {optimizer} (line {line})."
    ),
    "finding.parameter_not_optimized.unfrozen": (
        "Line {line} unfreezes parameters, but no optimizer updates {names}: {variable} "
        "({optimizer}) was created without them. Add them with {variable}.add_param_group(), or "
        "create the optimizer with all parameters from the beginning; it skips frozen ones."
    ),
    "finding.parameter_not_optimized.computed": (
        "Line {line} assigns the result of {op} to {name}, not the nn.Parameter itself: it is not "
        "among the parameters of its module, and no optimizer updates it. Make nn.Parameter the "
        "outermost call."
    ),
    "finding.parameter_cut_off": (
        "{optimizer} never updates {names}, because no backward pass gets there."
    ),
    "finding.parameter_cut_off.copied": (
        "{optimizer} (line {update}) updates nothing: backward in line {begin} reaches the copy of "
        "{model} that line {line} makes, not {model}. Compute the adapted parameters from those of "
        "{model} with autograd.grad and create_graph=True, or assign the gradients of the copy to "
        "{model}."
    ),
    "finding.sample_without_gradient": (
        "Line {line} draws with sample(), which records no history, so no gradient flows through "
        "the sample to {names}. Use rsample()."
    ),
    "finding.sample_without_gradient.normal": (
        "The derivatives of torch.normal are 0, so no gradient flows through the sample of line "
        "{line} to {names}. Compute mean + std * torch.randn_like(std)."
    ),
    "finding.gradient_not_kept": (
        "{name}.grad (line {line}) is None: {name} is the result of {op} (line {made}), and "
        "backward keeps gradients only for leaves."
    ),
    "finding.gradient_not_kept.lost": (
        "To make it a leaf, call detach().requires_grad_() on the result. To update a leaf, change "
        "it in place under torch.no_grad()."
    ),
    "finding.gradient_not_kept.leaves": (
        "Read .grad of what it is computed from, {leaves}, or call {name}.retain_grad() before "
        "backward."
    ),
    "finding.probabilities_as_logits.nll": (
        "{loss} expects logarithms of probabilities, but {op} (line {line}) returns probabilities. "
        "Use log_softmax there, or cross_entropy without {op}."
    ),
    "finding.probabilities_as_logits": (
        "{loss} expects logits and applies {op} itself, but its input already comes from {op} "
        "(line {line}), which makes gradients small and training slow. Remove the {op}, or apply "
        "it only where you need probabilities."
    ),
    "finding.loss_broadcasts": (
        "{op} broadcasts {first} with {second}: each prediction is compared with each target, not "
        "only with its own, so the loss is wrong. Give both the same shape, for example with "
        "squeeze(1)."
    ),
    "finding.graph_kept": (
        "This sum adds losses of {count} iterations together with their graphs, which nothing "
        "uses and which stay in memory. Add loss.item() or loss.detach()."
    ),
    "finding.graph_kept.list": (
        "Line {line} keeps {count} losses in {place} together with their graphs, so memory grows "
        "with each iteration. Append {name}.item() or {name}.detach()."
    ),
    "finding.scheduler_first": (
        "Line {line} steps the scheduler before the first step of {optimizer} (line {update}), so "
        "the first learning rate of the schedule is skipped. Step the scheduler after the "
        "optimizer."
    ),
    "finding.no_effect.not_called": (
        "Line {line} only names {name} and does not call it. Write {name}()."
    ),
    "finding.no_effect.misspelled": (
        "Line {line} sets {name}, an attribute that torch does not know, so nothing is frozen. "
        "Write requires_grad."
    ),
    "finding.no_effect.of_module": (
        "Line {line} sets requires_grad of {name}, which is a module: its parameters are left as "
        "they are. Call {name}.requires_grad_({value})."
    ),
    "finding.no_effect.never_stepped": (
        "No line calls {name}.step(), so backward computes gradients that nothing uses. Call it "
        "after backward."
    ),
    "finding.no_effect.rebound": (
        "Line {line} makes {name} the name of a new tensor, and the parameter stays as it was. "
        "Change it in place under torch.no_grad(), as with {name} -= ... or {name}.copy_(...)."
    ),
    "finding.no_effect.hook": (
        "The hook {name} computes another gradient in line {line} and does not return it, so torch "
        "keeps the old one. Return it."
    ),
    "finding.no_effect.clipped.step": (
        "Line {line} clips gradients when the optimizer has already used them, and zero_grad "
        "clears them before the next step. Move it between backward and the optimizer's step."
    ),
    "finding.no_effect.clipped.zero_grad": (
        "Line {line} clips gradients that zero_grad has cleared, before backward computes the new "
        "ones. Move it between backward and the optimizer's step."
    ),
    "finding.constant_loss_term": (
        "{name} is a constant in the loss (line {use}) and contributes no gradient: autograd.grad "
        "in line {line} builds no graph of the gradient. Pass create_graph=True there."
    ),
    "finding.constant_loss_term.detached": (
        "{name} is a constant in the loss (line {use}) and contributes no gradient: line {line} "
        "takes the gradient out of its graph, as detach() and .data do. Use the gradient itself."
    ),
    "finding.constant_loss_term.grad": (
        "{name} is a constant in the loss (line {use}), because backward in line {line} computes "
        "it without a graph. Use torch.autograd.grad with create_graph=True there."
    ),
    "finding.number_in_loss": (
        "{name} is a Python number in the loss (line {use}) and contributes no gradient: line "
        "{line} takes it out of torch. Keep the tensor there, and call item() only to print it."
    ),
    "finding.gradients_still_scaled": (
        "{optimizer} uses gradients that are {factor} times those of the loss, because line {line} "
        "multiplies it. Divide each .grad by this factor before the step, or leave it out."
    ),
    "finding.gradients_still_scaled.scaler": (
        "{optimizer} uses gradients that still contain the factor {factor} of the GradScaler (line "
        "{line}). Call scaler.step(optimizer), which removes it, and then scaler.update()."
    ),
    "finding.gradients_not_stored": (
        "{optimizer} (line {update}) updates nothing: autograd.grad in line {line} returns the "
        "gradients and leaves .grad None. Call backward() instead, or assign each p.grad."
    ),
    "finding.remade_in_loop": (
        "Line {line} makes a new {name} each time, and nothing uses the one that {optimizer} has "
        "updated (line {update}), so nothing is learned. Make model and optimizer once, before the "
        "loop."
    ),
    "finding.remade_in_loop.optimizer": (
        "Line {line} makes a new {optimizer} each time, which forgets its averages of earlier "
        "gradients after one step (line {update}). Make it once, before the loop."
    ),
    "finding.evaluation_mode": (
        "Line {line} puts {name} into evaluation mode, where it stays: from backward pass {number} "
        "on (line {begin}), dropout and batch norm no longer work as in training. Call "
        "{name}.train() before each epoch."
    ),
    "finding.losses_unused": (
        "Line {line} calls backward after the loop in line {loop}, which computes {count} losses: "
        "only the last one has an effect. Call it in the loop, or add the losses up."
    ),
    "finding.requires_grad_late": (
        "Line {line} makes {name} require a gradient after line {use} has used it, so backward "
        "does not get there and {name}.grad stays None. Move it before that line."
    ),
    "finding.target_not_detached": (
        "The target in line {line} is computed from the parameters that it should teach, {names}, "
        "and backward goes through it too, so they also learn to change the target. Compute it "
        "under torch.no_grad(), or call detach() on it."
    ),
    "finding.scaled_gradients_clipped.by_hand": (
        "Line {line} clips gradients that still contain the factor {factor} of the loss (line "
        "{begin}). They are divided by it only afterwards, so the limit that counts is {factor} "
        "times smaller than meant. Divide first, then clip."
    ),
    "finding.scaled_gradients_clipped": (
        "Line {line} clips gradients that still contain the factor of the GradScaler, so the limit "
        "means something else. Call scaler.unscale_(optimizer) before clipping."
    ),
    "finding.shared_gradient_changed": (
        "The hook in line {line} changes a gradient in place that {sender} passes to {others} too, "
        "so the changed values arrive there as well. Return a new tensor from the hook, for "
        "example with clamp() instead of clamp_()."
    ),
    "finding.shared_gradient_changed.expanded": (
        "The hook in line {line} writes to an element of a gradient that {sender} has expanded: "
        "its {count} elements are one number in memory, so all of them change. Change a copy: "
        "begin with clone(), and return it."
    ),
    "finding.generator_used_up": (
        "{name} (line {line}) is a generator, which gives its parameters only once: line {first} "
        "uses them up, and line {second} gets none. Make it a list, list({call})."
    ),
    "finding.hooks_skipped": (
        "Line {line} calls {name}.forward() directly, which skips hooks, such as the one that line "
        "{hook} registers. Call {name}(...) instead."
    ),
    "finding.checkpoint_without_gradient": (
        "checkpoint with use_reentrant=True (line {line}) ignores the parameters of {function} "
        "because none of its inputs requires a gradient: they get None. Pass use_reentrant=False."
    ),
}
"""Texts by key; the codes of the findings are those of `finding_kinds`."""
