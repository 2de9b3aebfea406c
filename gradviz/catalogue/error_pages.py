"""Pages of the guide about errors of autograd, by the codes of the findings that they explain."""

from __future__ import annotations

from typing import Final

RAISED_ERRORS: Final = {
    "freed_graph": "carried-state",
    "saved_modified": "step-too-early",
    "no_history": "history-cut",
    "many_outputs": "many-outputs",
    "complex_output": "complex-loss",
    "leaf_changed_in_place": "leaf-in-place",
    "input_unused": "input-unused",
    "input_without_grad": "input-without-grad",
    "hook_result": "hook-result",
    "hooked_output_changed": "hooked-output",
    "inference_tensor": "inference-tensor",
    "copy_of_result": "copied-result",
    "recomputed_differently": "recomputed",
    "parameters_unused": "ddp-unused",
    "sparse_refused": "sparse-gradient",
}
"""What torch refuses. The title of each page is the part of torch's message that never varies."""

SILENT_ERRORS: Final = {
    "layer_not_registered": "layers-in-list",
    "nan_gradient": "nan-masked",
    "nan_in_forward": "nan-forward",
    "gradient_always_zero": "gradient-zero",
    "history_hidden": "history-hidden",
    "parameter_cut_off": "cut-off",
    "sample_without_gradient": "sample",
    "parameter_not_optimized": "not-optimized",
    "layer_replaced": "layer-replaced",
    "generator_used_up": "generator-used-up",
    "gradient_not_kept": "gradient-not-kept",
    "gradients_not_cleared": "gradients-not-cleared",
    "gradients_cleared_early": "gradients-cleared-early",
    "constant_loss_term": "constant-term",
    "number_in_loss": "number-in-loss",
    "target_not_detached": "target-history",
    "loss_broadcasts": "loss-broadcasts",
    "probabilities_as_logits": "softmax-twice",
    "scaled_gradients_clipped": "clipped-early",
    "gradients_still_scaled": "still-scaled",
    "gradients_not_stored": "not-stored",
    "losses_unused": "losses-unused",
    "remade_in_loop": "remade",
    "requires_grad_late": "late-requires-grad",
    "evaluation_mode": "evaluation-mode",
    "graph_kept": "graph-kept",
    "hooks_skipped": "hooks-skipped",
    "scheduler_first": "scheduler-first",
    "no_effect": "no-effect",
    "shared_gradient_changed": "shared-gradient",
    "checkpoint_without_gradient": "checkpoint-without-gradient",
}
"""What torch does without a message, although nobody wants it."""

ERROR_PAGES: Final = {**RAISED_ERRORS, **SILENT_ERRORS}
