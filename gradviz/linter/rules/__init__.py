"""The rules that are read from the source: one function for each, in the order of their ids."""

from __future__ import annotations

from gradviz.linter.rules import (
    custom_bwd,
    declarations,
    grad_output_unused,
    missing_gradient,
    missing_once_differentiable,
    outputs_in_container,
    returned_input,
    returned_values,
    saved_intermediate,
    saved_tensors_in_forward,
    saved_twice,
    saved_unused,
    setup_context_computes,
    tensor_on_ctx,
    undefined_gradient_unhandled,
    writes,
)
from gradviz.linter.violation import SourceRule

SOURCE_RULES: dict[str, SourceRule] = {
    "tensor_on_ctx": tensor_on_ctx.find,
    "saved_intermediate": saved_intermediate.find,
    "saved_twice": saved_twice.find,
    "saved_unused": saved_unused.find,
    "saved_tensors_in_forward": saved_tensors_in_forward.find,
    "missing_gradient": missing_gradient.find,
    "wrong_gradient_count": returned_values.find_wrong_count,
    "surplus_none": returned_values.find_surplus_none,
    "grad_output_unused": grad_output_unused.find,
    "undefined_gradient_unhandled": undefined_gradient_unhandled.find,
    "grad_output_modified": writes.find_grad_output,
    "in_place_unmarked": writes.find_input,
    "returned_input": returned_input.find,
    "saved_modified_in_backward": writes.find_saved,
    "not_static": declarations.find_not_static,
    "backward_and_vjp": declarations.find_backward_and_vjp,
    "outputs_in_container": outputs_in_container.find,
    "custom_bwd_without_custom_fwd": custom_bwd.find,
    "missing_once_differentiable": missing_once_differentiable.find,
    "useless_once_differentiable": declarations.find_useless_once_differentiable,
    "setup_context_computes": setup_context_computes.find,
    "ambiguous_vmap": declarations.find_ambiguous_vmap,
}
"""Searches by the code of the rule that they look for."""
