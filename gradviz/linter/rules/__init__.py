"""The rules that are read from the source: a function for each, named by the rule's code."""

from __future__ import annotations

from gradviz.linter.rules import declarations, gradients, outputs, saving
from gradviz.linter.violation import SourceRule

SOURCE_RULES: dict[str, SourceRule] = {
    find.__name__: find
    for find in (
        saving.tensor_on_ctx,
        saving.saved_intermediate,
        saving.saved_twice,
        saving.saved_unused,
        saving.saved_tensors_in_forward,
        saving.saved_count,
        saving.context_attribute_missing,
        saving.tensor_on_class,
        gradients.missing_gradient,
        gradients.wrong_gradient_count,
        gradients.surplus_none,
        gradients.grad_output_unused,
        gradients.undefined_gradient_unhandled,
        gradients.grad_output_count,
        gradients.needs_input_grad_index,
        gradients.backward_inside_backward,
        outputs.outputs_non_differentiable,
        outputs.grad_output_modified,
        outputs.in_place_unmarked,
        outputs.returned_input,
        outputs.saved_modified_in_backward,
        declarations.not_static,
        declarations.backward_and_vjp,
        outputs.outputs_in_container,
        declarations.custom_bwd_without_custom_fwd,
        declarations.autocast_without_custom_fwd,
        declarations.custom_fwd_without_custom_bwd,
        declarations.not_applied,
        declarations.forward_without_context,
        gradients.missing_once_differentiable,
        declarations.useless_once_differentiable,
        saving.setup_context_computes,
        declarations.ambiguous_vmap,
        declarations.context_with_setup_context,
        declarations.setup_context_signature,
    )
}
"""Searches by the code of the rule that they look for, in the order of its id."""
