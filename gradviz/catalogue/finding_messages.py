"""Message templates for findings: what was found, where, and how to fix it."""

MESSAGES_FINDINGS = {
    "finding.where": "{function}.{method}",
    "finding.where.line": "{function}.{method} (line {line})",
    "finding.in_place_unmarked": (
        "In {where}, the input {name} is changed in place but not marked as dirty: "
        "{name} has new elements but still its old history ({history}), so a gradient "
        "through {name} bypasses {function}.backward. Call ctx.mark_dirty({name}) and "
        "return {name}."
    ),
    "finding.in_place_unmarked.plain": (
        "In {where}, the input {name} is changed in place but not marked as dirty: "
        "autograd does not know that its elements are new. Call ctx.mark_dirty({name}) "
        "and return {name}, or work on a copy."
    ),
    "finding.silent_reduction": (
        "{where} returns a gradient of shape {before} for {name}, which has shape "
        "{after}: the engine silently sums it to that shape. Sum it in backward."
    ),
    "finding.silent_cast": (
        "{where} returns a gradient of dtype {before} for {name}, which has dtype "
        "{after}: the engine silently casts it. Return it in the dtype of {name}."
    ),
    "finding.saved_intermediate": (
        "{where} saves {name}, which is neither an input nor an output: a second "
        "derivative treats it as a constant. Recompute it in backward, return it as an "
        "output, or decorate backward with @once_differentiable."
    ),
    "finding.saved_intermediate.view": (
        "{where} saves {name}, which is a view of the input {argument} and not "
        "{argument} itself: a second derivative treats it as a constant. Save {argument} "
        "and take the view in backward."
    ),
    "finding.tensor_on_ctx": (
        "{where} stores a tensor as ctx.{name}: it is not freed with the saved tensors, "
        "and changes in place go undetected. Save it with ctx.save_for_backward."
    ),
    "finding.nested_tensor": (
        "{where} receives tensors that require grad inside {name}, where autograd does "
        "not see them: no gradient reaches them through {function}. Pass each of them as "
        "a separate argument."
    ),
    "finding.grad_output_modified": (
        "{where} changes {name} in place. The engine may pass the same tensor to other "
        "nodes, which then receive the changed values. Work on a copy."
    ),
    "finding.undefined_gradient.zeros": (
        "{where} receives an undefined gradient for {name}: torch materializes it as zeros."
    ),
    "finding.undefined_gradient.marked": (
        "In {where}, {name} belongs to an output that is marked non-differentiable: "
        "torch materializes it as zeros."
    ),
    "finding.undefined_gradient.none": (
        "{where} receives None for {name}, because the gradient is undefined and "
        "set_materialize_grads(False) is set. Handle None in backward."
    ),
    "finding.missing_gradient": (
        "{where} returns None for {name}, which needs a gradient: no gradient reaches "
        "{name} through {function}. Return its gradient if it has one."
    ),
    "finding.wasted_gradient": (
        "{where} returns a gradient for {name}, which does not need one: it is "
        "discarded. Check ctx.needs_input_grad[{index}] before computing it."
    ),
    "finding.wrong_gradient_count": (
        "{where} returns {count} for {arguments}. Return one value for each input of forward, in"
        " order, and None where there is no gradient."
    ),
    "finding.one_number": "[] (a scalar)",
    "finding.gradients.one": "one gradient",
    "finding.gradients": "{count} gradients",
    "finding.arguments.one": "one input",
    "finding.arguments": "{count} inputs ({names})",
    "finding.invalid_gradient": (
        "{where} returns a gradient of shape {before} for {name}, which has shape "
        "{after}: the engine cannot sum it to that shape. Return a gradient with the "
        "shape of {name}."
    ),
    "finding.invalid_gradient.object": (
        "{where} returns {text} for {name}: a gradient must be a tensor or None."
    ),
    "finding.invalid_gradient.not_tensor": (
        "{where} returns a gradient for {name}, which is not a tensor. Return None for it."
    ),
    "finding.saved_modified": (
        "{node} saved {name} at version {saved}, but it was changed in place in {where} "
        "(now version {now}) before backward used it: the values that its formula needs "
        "are gone. Change a copy instead, or save a clone."
    ),
    "finding.saved_modified.uncounted": (
        "{node} saved {name}, but it was changed in place in {where} before backward "
        "used it: the values that its formula needs are gone. Change a copy instead, or "
        "save a clone."
    ),
    "finding.saved_modified.here": (
        "In {where}, {name} is changed in place although {node} saved it for backward: "
        "that backward will raise an error. Change a copy instead, or save a clone."
    ),
    "finding.numpy_unseen": (
        "In {where}, values computed outside torch come in through {names}: autograd "
        "does not see how they were computed, so backward must be written by hand, as it "
        "is here."
    ),
    "finding.unregistered_parameter": (
        "{module} uses a Parameter that none of the called modules has registered: "
        "parameters() and to() miss it, and so does the optimizer. Make it an attribute "
        "of a module, or put it in a ParameterList."
    ),
}
