"""Codes of all diagnoses: stable identifiers for programs, explained in the guide."""

from __future__ import annotations

OF_NUMBERS = (
    "transposed",
    "factor_constant",
    "factor_sign",
    "factor_batch_size",
    "missing_sum",
    "extra_sum",
    "swapped_gradients",
    "missing_term",
    "dropped_zero",
    "dropped_none",
    "detached",
    "ignores_grad_output",
    "wrong_some_indices",
    "straight_through",
    "constant_forward",
)
"""Codes of errors that the Jacobians reveal."""

OF_TRIALS = (
    "stride_blind",
    "mutates_grad_output",
    "undefined_gradient",
    "double_backward_cut",
    "nondeterministic",
    "hidden_state",
    "inplace_damage",
)
"""Codes of errors that only tests beyond gradcheck's reveal."""

HARMLESS_OR_UNKNOWN = ("float32_noise", "eps_sensitive", "kink", "none", "unknown")
"""Codes that do not indicate an error in the function, or leave it open."""

CODES = (*OF_NUMBERS, *OF_TRIALS, *HARMLESS_OR_UNKNOWN)
