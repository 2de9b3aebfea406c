"""The catalogue's templates for findings: what was found, where, and what helps."""

MESSAGES_FINDINGS = {
    "finding.where": "{function}.{method}",
    "finding.where.line": "{function}.{method} (line {line})",
    "finding.in_place_unmarked": (
        "In {where}, the input {name} is changed in place and not declared dirty: {name} has new"
        " elements and still the history of before ({history}), so a gradient through {name} leaves"
        " {function}.backward out. Call ctx.mark_dirty({name}) and return {name}."
    ),
    "finding.in_place_unmarked.plain": (
        "In {where}, the input {name} is changed in place and not declared dirty: autograd does not"
        " learn that it has new elements. Call ctx.mark_dirty({name}) and return {name}, or work on"
        " a copy."
    ),
    "finding.silent_reduction": (
        "{where} returns a gradient of {before} for {name}, which is {after}: the engine sums it to"
        " that shape and says nothing. Sum it in backward."
    ),
    "finding.silent_cast": (
        "{where} returns a gradient of {before} for {name}, which is {after}: the engine casts it"
        " and says nothing. Return it in the dtype of {name}."
    ),
    "finding.saved_intermediate": (
        "{where} saves {name}, which is neither an input nor an output: a second derivative takes"
        " it for a constant. Compute it anew in backward, return it as an output, or declare"
        " backward @once_differentiable."
    ),
    "finding.saved_intermediate.view": (
        "{where} saves {name}, a view of the input {argument} and not {argument} itself: a second"
        " derivative takes it for a constant. Save {argument}, and take the view in backward."
    ),
    "finding.tensor_on_ctx": (
        "{where} keeps a tensor as ctx.{name}: it is not freed with what is saved, and nobody"
        " notices if it is changed in place. Give it to ctx.save_for_backward."
    ),
    "finding.nested_tensor": (
        "{where} is given tensors that need a gradient inside of {name}, where autograd does not"
        " see them: no gradient reaches them through {function}. Give each of them as an argument"
        " of its own."
    ),
    "finding.grad_output_modified": (
        "{where} changes {name} in place. The engine may hand the same tensor to others, and they"
        " get the changed one. Work on a copy."
    ),
    "finding.undefined_gradient.zeros": (
        "No gradient arrives at {where} for {name}: torch makes zeros up in its place."
    ),
    "finding.undefined_gradient.marked": (
        "{name} at {where} belongs to an output without gradient: torch makes zeros up in its"
        " place."
    ),
    "finding.undefined_gradient.none": (
        "No gradient arrives at {where} for {name}: because of set_materialize_grads(False) it is"
        " None, and backward has to handle that."
    ),
    "finding.missing_gradient": (
        "{where} returns None for {name}, which needs a gradient: nothing reaches {name} through"
        " {function}. Return its gradient, if it has one."
    ),
    "finding.wasted_gradient": (
        "{where} returns a gradient for {name}, which needs none: it is dropped. Ask"
        " ctx.needs_input_grad[{index}] before it is computed."
    ),
    "finding.wrong_gradient_count": (
        "{where} returns {count} for {arguments}. Return one value for each input of forward, in"
        " order, and None where there is no gradient."
    ),
    "finding.one_number": "one number",
    "finding.gradients.one": "one gradient",
    "finding.gradients": "{count} gradients",
    "finding.arguments.one": "one input",
    "finding.arguments": "{count} inputs ({names})",
    "finding.invalid_gradient": (
        "{where} returns a gradient of {before} for {name}, which is {after}: the engine sums what"
        " is larger, but this fits in no way. Return it in the shape of {name}."
    ),
    "finding.invalid_gradient.object": (
        "{where} returns {text} for {name}: a gradient is a tensor, or None."
    ),
    "finding.invalid_gradient.not_tensor": (
        "{where} returns a gradient for {name}, which is no tensor. Return None for it."
    ),
    "finding.saved_modified": (
        "{node} saved {name} at version {saved}; in {where}, it was changed in place, to version"
        " {now}, before backward wanted it: the numbers that its formula needs are gone. Change a"
        " copy instead, or save a clone."
    ),
    "finding.saved_modified.uncounted": (
        "{node} saved {name}, and in {where}, it was changed in place before backward wanted it:"
        " the numbers that its formula needs are gone. Change a copy instead, or save a clone."
    ),
    "finding.saved_modified.here": (
        "In {where}, {name} is changed in place, which {node} has saved for its backward: that"
        " backward will refuse. Change a copy instead, or save a clone."
    ),
    "finding.numpy_unseen": (
        "In {where}, {names} brings elements in that were computed outside of torch: autograd sees"
        " nothing of how, so backward must be written by hand, as it is here."
    ),
    "finding.unregistered_parameter": (
        "{module} uses a Parameter that none of the modules that were called has registered:"
        " parameters() and to() miss it, and with them an optimizer. Make it an attribute of a"
        " module, or put it into a ParameterList."
    ),
}
