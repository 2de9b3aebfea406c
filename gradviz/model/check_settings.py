"""Settings of a gradient check, besides the function and its inputs."""

from __future__ import annotations

import math
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from gradviz.model.codec import Real

ForwardModeSetting = Literal["auto", "on", "off"]


class SettingsProblem(Struct, frozen=True, kw_only=True):
    """A setting with which no check can run.

    Attributes:
        key: Key of its sentence in the catalogue, which names the setting and its value.
        name: Name of the setting.
        value: Its value; for one that needs another setting, the name of that one.
    """

    key: str
    name: str
    value: Real | str


class CheckSettings(Struct, frozen=True, kw_only=True):
    """Step size, tolerances and scope of a check; defaults are ``torch.autograd.gradcheck``'s.

    Attributes:
        eps: Step of the central difference, in units of the input.
        atol: Absolute tolerance.
        rtol: Tolerance relative to the numerical value.
        nondet_tol: Largest difference between two identical backward runs that counts as equal.
        cast: Whether floating-point and complex inputs of lower precision are cast to float64 and
            complex128 first; the report names the original dtypes.
        auto_cast: Whether such inputs are also cast without being asked, if the function runs in
            float64 and ``eps`` is too small for their dtype.
        allow_once: Whether a backward declared ``once_differentiable`` passes the second order,
            where gradgradcheck reports a mismatch; for checks of both orders.
        forward_mode: Whether forward-mode derivatives are also compared and affect the result, as
            with gradcheck's ``check_forward_ad``; ``auto`` compares them if a custom Function has a
            ``jvp``, without affecting the result.
        batched: Whether ``vmap`` over backward is compared with a loop over it, as with gradcheck's
            ``check_batched_grad``. A backward that reads ``.data`` of its gradient then crashes the
            interpreter; if its source shows that, the comparison is refused instead.
        fast: Whether the result is decided by products with random vectors, as with gradcheck's
            ``fast_mode``. More such products locate single wrong elements; only pairs that may
            contain one are computed in full.
        backward_mode: Whether backward is compared, as with gradcheck's ``check_backward_ad`` and,
            for the second order, ``check_rev_over_rev``. Without it, only forward mode is.
        undefined: Whether undefined gradients and tangents are tried, as with gradcheck's
            ``check_undefined_grad``.
        batched_forward: Whether ``vmap`` over forward mode is compared with a loop over it, as with
            gradcheck's ``check_batched_forward_grad``.
        masked: Whether only the specified elements of sparse inputs are varied, as with gradcheck's
            ``masked``; the gradient has to be zero at all others.
        noncontiguous: Whether the incoming gradients that the second order draws are not
            contiguous, as with gradgradcheck's ``gen_non_contig_grad_outputs``.
        battery: Whether backward is also run with incoming gradients that gradcheck never tries
            (other strides, zeros, None, NaN), and repeated to see if it is deterministic, and the
            ``vmap`` rule of a custom Function is compared with a loop over the Function.
        variations: Whether the inputs are varied as well: sizes, strides, dtypes, None.
        reference: A plain version of the function that autograd can differentiate, as
            ``FILE.py:NAME`` or ``NAME`` in the checked file; empty for none.
        grad_outputs: The incoming gradients for the second order, as gradgradcheck's argument of
            this name: a tensor, several of them, or a function that returns them, as
            ``FILE.py:NAME`` or ``NAME`` in the checked file. Drawn at random if empty.
        nudge: How far the input elements are moved before the check, for example away from a kink;
            each moves by one to two times as much. 0 leaves them unchanged.
        curve: Output, input, row and column of an element whose curve is sampled even if the
            function is large; None for none.
    """

    eps: Real = 1e-6
    atol: Real = 1e-5
    rtol: Real = 1e-3
    nondet_tol: Real = 0.0
    cast: bool = False
    auto_cast: bool = False
    allow_once: bool = False
    forward_mode: ForwardModeSetting = "auto"
    batched: bool = False
    fast: bool = False
    backward_mode: bool = True
    undefined: bool = True
    batched_forward: bool = False
    masked: bool = False
    noncontiguous: bool = False
    battery: bool = True
    variations: bool = False
    reference: str = ""
    grad_outputs: str = ""
    nudge: Real = 0.0
    curve: tuple[int, int, int, int] | None = None

    def for_dtype(self, dtype: str) -> CheckSettings:
        """Settings with a step and tolerances that suit inputs of a dtype.

        In float32, a step of 5e-3 balances the truncation error of the formula against rounding
        and leaves differences accurate to about 1e-3. In half precision and below no step does, so
        inputs are cast.

        Args:
            dtype: Dtype of the inputs, without ``torch.``.
        """
        if dtype in ("float32", "complex64"):
            return replace(self, eps=5e-3, atol=1e-3, rtol=1e-2)
        is_low = dtype in ("float16", "bfloat16", "complex32") or dtype.startswith("float8")
        return replace(self, cast=True) if is_low else self

    def as_given(self) -> CheckSettings:
        """Settings that take the inputs as they are and try no others."""
        return replace(self, battery=False, variations=False, cast=False, auto_cast=False)

    def problem(self) -> SettingsProblem | None:
        """Why a check cannot run with these settings; None if it can."""
        # Not `eps <= 0`, so that NaN counts as a problem as well.
        if not self.eps > 0:
            return SettingsProblem(key="settings.not_positive", name="eps", value=self.eps)
        for name in ("eps", "nudge"):
            if getattr(self, name) == math.inf:
                return SettingsProblem(key="settings.infinite", name=name, value=math.inf)
        for name in ("atol", "rtol", "nondet_tol", "nudge"):
            value = getattr(self, name)
            if not value >= 0:
                return SettingsProblem(key="settings.negative", name=name, value=value)
        return self._contradiction()

    def _contradiction(self) -> SettingsProblem | None:
        """A setting that needs another one, as in gradcheck; None if there is none."""
        if self.batched_forward and self.forward_mode != "on":
            return SettingsProblem(
                key="settings.needs", name="batched_forward", value="forward_mode"
            )
        if self.backward_mode:
            return None
        for name in ("batched", "variations"):
            if getattr(self, name):
                return SettingsProblem(key="settings.needs", name=name, value="backward_mode")
        if self.forward_mode != "on":
            return SettingsProblem(key="settings.nothing", name="backward_mode", value="")
        return None


DEFAULTS = CheckSettings()
