"""Sentences about exceptions of torch: what has led to them, and what helps."""

from __future__ import annotations

MESSAGES_ERRORS = {
    # What is named where the source gives it no name.
    "refused.result": "the result",
    "refused.argument": "the argument",
    "refused.tensors": "the tensors",
    "refused.some_node": "an op",
    # A tensor without a history: what follows, where it ends, and what may be missing.
    "refused.no_history": "backward can't start at {name}, which has no history.",
    "hidden.root": (
        "This pass starts at {name}, a leaf that was made to require grad although it has no "
        "history: no parameter gets a gradient."
    ),
    "hidden.copied": (
        "torch.{op}, line {line}, takes only the numbers of {name}: its result is a new leaf, and "
        "no gradient goes from it to what {name} was computed from."
    ),
    "refused.ends": "The history ends in {ends}.",
    "refused.left": (
        "Nothing that torch computed it from requires a gradient, but in line {line} {op} took "
        "values out of torch: autograd does not see what is computed from them there. Compute it "
        "with torch instead."
    ),
    "refused.none": (
        "As far as recorded, nothing that it is computed from requires a gradient. Look for "
        "parameters with requires_grad=False, or for an input that needs requires_grad_()."
    ),
    # Where a history ends, as members of a list.
    "refused.end.inference": "{op} (line {line}, under torch.inference_mode())",
    "refused.end.no_grad": "{op} (line {line}, with gradients off, as under torch.no_grad())",
    "refused.end.checkpoint": (
        "{op} (line {line}, in a checkpoint with use_reentrant=True whose inputs require no "
        "gradient)"
    ),
    "refused.end.sampled": "{op} (line {line}, in sample() of a distribution)",
    "refused.end.drawn": "{op} (line {line}, which draws a sample without a derivative)",
    "refused.end.gradient": "{op} (line {line}, without create_graph=True)",
    "refused.end.constant": (
        "{op} (line {line}, whose result is a constant in spite of create_graph=True)"
    ),
    "refused.end.copied": "torch.{op} (line {line}, which takes only the numbers)",
    "refused.end.discrete": "{op} (line {line}, whose integers or bools have no derivative)",
    "refused.end.compared": "a comparison (line {line}, whose bools have no derivative)",
    "refused.end.call": "{op} (line {line})",
    "refused.end.outside": "torch.{op} (line {line}, from Python numbers)",
    "refused.remedy.inference": "Compute it outside of torch.inference_mode().",
    "refused.remedy.no_grad": (
        "Compute it outside of torch.no_grad(), and after set_grad_enabled(False) switch "
        "gradients on again."
    ),
    "refused.remedy.checkpoint": "Pass use_reentrant=False to checkpoint.",
    "refused.remedy.sampled": (
        "Use rsample(), through which gradients flow to the parameters of the distribution."
    ),
    "refused.remedy.drawn": (
        "Use the log_prob of the sample in the loss, or a smooth relaxation such as gumbel_softmax."
    ),
    "refused.remedy.gradient": "Set create_graph=True in torch.autograd.grad or backward.",
    "refused.remedy.constant": (
        "The derivative of a linear function is constant, and so is what the backward of a custom "
        "Function computes outside of the graph."
    ),
    "refused.remedy.copied": "Join tensors with torch.stack or torch.cat, or add them up.",
    "refused.remedy.discrete": (
        "Use a smooth function, such as softmax instead of argmax, or sigmoid instead of a "
        "comparison."
    ),
    "refused.remedy.detach": "Leave it out where gradients should flow through.",
    "refused.remedy.call": "Use a function that autograd can differentiate.",
    "refused.remedy.outside": "Keep the value a tensor: without item() or float().",
    "refused.many_outputs": (
        "{name} has {count} elements ({shape}), and backward starts from one number. Call "
        "{name}.sum() or {name}.mean() first, or pass the gradient of each element: "
        "{name}.backward(torch.ones_like({name}))."
    ),
    "refused.many_outputs.unnamed": (
        "The tensor has {count} elements ({shape}), and backward starts from one number. Call "
        "sum() or mean() first, or pass the gradient of each element."
    ),
    "refused.inference": (
        "{name} was computed under torch.inference_mode(), so autograd may not save it for "
        "backward. Use torch.no_grad() there, or {name}.clone() here."
    ),
    "refused.inference.line": (
        "{name} was computed under torch.inference_mode() (line {line}), so autograd may not save "
        "it for backward. Use torch.no_grad() there, or {name}.clone() here."
    ),
    "refused.complex_output": (
        "{name} is complex, and backward starts from a real number. Make one of it, such as "
        "{name}.abs() or {name}.real."
    ),
    "refused.result_in_optimizer": (
        "{name} is not a leaf but the result of {node}, and an optimizer only updates leaves. "
        "Compute the value first, then call detach().requires_grad_() on it."
    ),
    "refused.empty_parameters": (
        "The optimizer gets no parameters. A generator such as model.parameters() gives them only "
        "once: make it a list, or call it again. If the model itself has none, its layers may be "
        "in a plain Python list."
    ),
    "refused.leaf": (
        "{op}, line {line}, changes {name} in place, a leaf that requires grad: its gradient is "
        "that of the value before. Compute a new tensor, or change {name}.clone(). If the change "
        "itself should not be differentiated, make it under torch.no_grad()."
    ),
    "refused.leaf.parameter": (
        "{op}, line {line}, changes the parameter {name} in place in grad mode. To update or "
        "initialize it, do so under torch.no_grad(); to compute with it, make a new tensor."
    ),
    "refused.copy": (
        "copy.deepcopy, line {line}, comes to {name}, the result of {node}: a tensor with a "
        "history can't be copied with it. Keep {name}.detach() there, or remove it before the copy."
    ),
    "refused.copy.weight_norm": (
        "copy.deepcopy, line {line}, comes to {name}, the result of {node}: a tensor with a "
        "history can't be copied with it. Use torch.nn.utils.parametrizations.weight_norm, whose "
        "modules can be copied."
    ),
    "refused.hooked": (
        "{op} in {changer} changes a tensor in place that the full backward hook of {module} "
        "({kind}) has made a view of. Set inplace=False in {changer}, or clone the tensor first."
    ),
    "refused.hooked.line": (
        "{op} in {changer} changes a tensor in place that the full backward hook {hook} (line "
        "{line}) of {module} ({kind}) has made a view of. Set inplace=False in {changer}, or clone "
        "the tensor first."
    ),
    "refused.unused_parameters": (
        "In the last iteration, these parameters of {model} got no gradient: {names}. Use them in "
        "every forward whose result goes into the loss, remove or freeze them, or pass "
        "find_unused_parameters=True to DistributedDataParallel."
    ),
    "refused.no_path": (
        "{result} was not computed from {name}: no path of the graph leads from one to the other. "
        "A copy may have been used, such as the result of detach() or to(), or a value from before "
        "{name}.requires_grad_(). With allow_unused=True the gradient is None."
    ),
    "refused.frozen_input": (
        "{name} does not require grad, so there is no gradient for it. Call "
        "{name}.requires_grad_() before the forward that uses it."
    ),
    "refused.hook_result.size": (
        "Hook {hook} (line {line}) returns a gradient of another shape than the one it got. Return "
        "one of the same shape, or None to leave it as it is."
    ),
    "refused.hook_result.type": (
        "Hook {hook} (line {line}) returns a gradient of another dtype or device than the one it "
        "got. Return one of the same, or None to leave it as it is."
    ),
    "refused.sparse": (
        "{optimizer} can't use the sparse gradient of {name}, as an embedding with sparse=True "
        "makes it. Leave out sparse=True, or give {name} to an optimizer of its own that takes "
        "sparse gradients, such as SparseAdam or SGD."
    ),
    "refused.sparse.decay": (
        "{optimizer} can't use weight_decay with the sparse gradient of {name}, as an embedding "
        "with sparse=True makes it. Leave out one of the two."
    ),
    "refused.dense": (
        "{optimizer} takes only sparse gradients, and that of {name} is dense. Give it the "
        "parameters of layers with sparse=True, and the others to an optimizer of their own, such "
        "as Adam."
    ),
    "refused.expanded": (
        "Line {line} changes {name} in place, a gradient that was expanded: its {count} elements "
        "are one number in memory. Return a new tensor instead, for example with clamp() "
        "instead of clamp_()."
    ),
    "refused.recomputation": (
        "The function that checkpoint runs again in backward computes something else than in "
        "forward. It has to do the same both times: look for what changes in between, such as a "
        "counter, a random number from outside torch, train() and eval(), or autocast."
    ),
    "refused.recomputation.count": (
        "The function that checkpoint runs again in backward computes something else than in "
        "forward: it saved {before} tensors then and {after} now. It has to do the same both "
        "times: look for what changes in between, such as a counter, a random number from outside "
        "torch, train() and eval(), or autocast."
    ),
}
"""Templates of these sentences by key."""
