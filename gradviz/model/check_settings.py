"""What a check is asked to do besides which function and which inputs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

ForwardMode = Literal["auto", "on", "off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSettings:
    """Step, tolerances and what is looked at; the defaults are ``torch.autograd.gradcheck``'s.

    Attributes:
        eps: Step of the central difference, in units of the input.
        atol: Absolute tolerance.
        rtol: Tolerance relative to the numerical value.
        nondet_tol: Largest difference between two equal backwards that still counts as equal.
        cast: Whether floating-point and complex inputs of less precision are cast to float64
            and complex128 first; the report tells from what.
        forward_mode: Whether forward-mode derivatives are compared as well, and decide, as with
            gradcheck's ``check_forward_ad``; ``auto`` compares them where a custom Function has
            a ``jvp``, and lets them decide nothing.
        batched: Whether ``vmap`` over backward is compared with a loop over it, as with gradcheck's
            ``check_batched_grad``. A backward that reads ``.data`` of its gradient crashes the
            interpreter then; where that can be read in it, it is refused instead.
        fast: Whether products with random vectors are compared first, as with gradcheck's
            ``fast_mode``, which decide. A few more of them find a single wrong element; only pairs
            in which there may be one are computed in full.
        battery: Whether backward is tried with incoming gradients that gradcheck never tries:
            other strides, zeros, None, NaN; and run again, to see whether it always says the same.
        variations: Whether the inputs are varied as well: sizes, strides, dtypes, None.
        reference: A plain version of the function whose derivatives autograd knows, as
            ``FILE.py:NAME`` or ``NAME`` in the file that is checked; empty for none.
        nudge: How far the elements of the inputs are moved before the check, each by once to twice
            as much, as away from a kink; 0 leaves them where they are.
    """

    eps: float = 1e-6
    atol: float = 1e-5
    rtol: float = 1e-3
    nondet_tol: float = 0.0
    cast: bool = False
    forward_mode: ForwardMode = "auto"
    batched: bool = False
    fast: bool = False
    battery: bool = True
    variations: bool = False
    reference: str = ""
    nudge: float = 0.0

    def for_dtype(self, dtype: str) -> CheckSettings:
        """The same with numbers that are honest for inputs of a type.

        In float32 a step of 5e-3 balances the error of the formula against that of rounding, and
        leaves differences good to about 1e-3. In half precision no step does: such inputs are cast.

        Args:
            dtype: Name of the inputs' type, without ``torch.``.
        """
        if dtype in ("float32", "complex64"):
            return replace(self, eps=5e-3, atol=1e-3, rtol=1e-2)
        is_half = dtype in ("float16", "bfloat16", "complex32")
        return replace(self, cast=True) if is_half else self

    def complaint(self) -> str:
        """Why nothing can be checked with these numbers, in one sentence; empty where it can."""
        if not self.eps > 0:
            return f"eps must be greater than 0, not {self.eps}."
        for name in ("eps", "nudge"):
            if getattr(self, name) == math.inf:
                return f"{name} must be finite."
        for name in ("atol", "rtol", "nondet_tol", "nudge"):
            if not getattr(self, name) >= 0:
                return f"{name} must not be negative, but is {getattr(self, name)}."
        return ""


DEFAULTS = CheckSettings()
