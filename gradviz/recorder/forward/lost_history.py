"""Tracking of values inside a user's method that lose their autograd history."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Iterable
from typing import Any, Literal

import torch
from msgspec import Struct, field

from gradviz.recorder.sources import LineOfCode, caller, current_line
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.torch_call import TorchCall
from gradviz.recorder.torch_functions import torch_function

LossKind = Literal["saved", "context", "lost"]

KEEP_NO_VALUE = frozenset(
    (
        *("zeros_like", "ones_like", "full_like", "empty_like", "rand_like", "randn_like"),
        *("randint_like", "new_zeros", "new_ones", "new_full", "new_empty", "new_empty_strided"),
        *("sign", "sgn", "round", "floor", "ceil", "trunc", "fix", "heaviside", "floor_divide"),
        *("__floordiv__", "__rfloordiv__", "sign_", "round_", "floor_", "ceil_", "trunc_", "zero_"),
        *("fill_", "normal_", "uniform_", "bernoulli_"),
    )
)
"""Functions whose result depends on no values of a tensor, or only in steps.

A history that is lost there would have had a derivative of zero.
"""

_NO_COMPUTATION = frozenset(("requires_grad_", "retain_grad"))

LEAD_OUT = frozenset(
    ("numpy", "item", "tolist", "__array__", "__float__", "__complex__", "__dlpack__")
)
"""Calls that take values out of torch, where they cannot be followed."""

_GETTERS = frozenset(("data", "real", "imag", "T", "mT", "H", "mH"))
"""Attributes that contain a tensor's values, unlike ``grad`` and others."""


_OLD_CONSTRUCTOR = r"torch\.(Float|Double|Half|BFloat16)?Tensor\(\["


class LostHistory(Struct, frozen=True):
    """How a history was lost.

    Attributes:
        kind: ``saved`` or ``context`` for a value that forward kept with `save_for_backward` or on
            ``ctx``; ``lost`` for a call in backward.
        name: Name of that value, or of the function that was called.
        line: The line that kept the value or made the call; None if it is unknown.
    """

    kind: LossKind
    name: str
    line: LineOfCode | None = None


class MethodHistory(Struct):
    """A running method of a user's Function, and the values in it that have lost a history.

    Attributes:
        stale: Values kept by forward that had lost their history, by storage address.
        found: Tensors by ``id()``, each with the ways in which histories that it depends on were
            lost.
        left_torch: Whether values have left torch, so that any new tensor may depend on them.
    """

    stale: dict[int, LostHistory] = field(default_factory=dict)
    found: dict[int, tuple[weakref.ref[torch.Tensor], frozenset[LostHistory]]] = field(
        default_factory=dict
    )
    left_torch: bool = False

    def is_constant(self, tensor: torch.Tensor, text: str = "") -> bool:
        """Whether a tensor depends on none with a history, like a random mask.

        Args:
            tensor: The tensor.
            text: The source of the expression that created it, if known.
        """
        if self.left_torch:
            return False
        known = self.found.get(id(tensor))
        # The id may belong to a new tensor by now.
        if known is None or known[0]() is not tensor:
            # Torch's function modes do not see its old constructors, which take Python numbers.
            return re.match(_OLD_CONSTRUCTOR, text) is not None
        return not known[1] and not tensor_compat.requires_grad_of(tensor)

    def has_made(self, tensor: torch.Tensor) -> bool:
        """Whether a call of the method has returned a tensor."""
        known = self.found.get(id(tensor))
        return known is not None and known[0]() is tensor

    def losses(self, tensor: torch.Tensor) -> frozenset[LostHistory]:
        """How histories that a tensor depends on were lost."""
        known = self.found.get(id(tensor))
        if known is not None and known[0]() is tensor:
            return known[1]
        if self.stale and ends_gradient(tensor):
            kept = self.stale.get(address_of(tensor))
            if kept is not None:
                return frozenset((kept,))
        return frozenset()

    def called(self, call: TorchCall) -> None:
        """Follow histories through a call of a torch function."""
        name, result = _name(call.function), call.result
        if not name or name in _NO_COMPUTATION:
            return
        given = tensors_in(call.values)
        made = given[:1] if result is None else tensors_in((result,))
        made = [each for each in made if is_number(each)]
        losses: frozenset[LostHistory] = frozenset()
        for each in given:
            losses |= self.losses(each)
        had_history = bool(
            [each for each in given if tensor_compat.requires_grad_of(each) and is_number(each)]
        )
        if name in LEAD_OUT:
            self.left_torch = self.left_torch or had_history or bool(losses)
        if name in KEEP_NO_VALUE:
            losses, had_history = frozenset(), False
        for each in made:
            mine = losses
            if had_history and not tensor_compat.requires_grad_of(each):
                mine |= {LostHistory("lost", name, current_line(caller()))}
            self.found[id(each)] = (weakref.ref(each), mine)


def address_of(tensor: torch.Tensor) -> int:
    """Address of a tensor's storage; 0 if it has none."""
    inner = tensor_compat.unwrap(tensor)
    if inner.layout is not torch.strided or not tensor_compat.has_storage(inner):
        return 0
    return tensor_compat.storage_address(inner)


def ends_gradient(tensor: torch.Tensor) -> bool:
    """Whether a gradient that reaches a tensor does not continue to an input.

    A view that was created without a graph requires a gradient like its base, but is a leaf.
    """
    if not tensor_compat.requires_grad_of(tensor):
        return True
    return tensor_compat.is_view(tensor) and tensor_compat.readable_grad_fn(tensor) is None


def is_number(tensor: torch.Tensor) -> bool:
    """Whether a tensor can have a gradient: its dtype is floating-point or complex."""
    return tensor.is_floating_point() or tensor.is_complex()


def _name(function: Callable[..., Any]) -> str:
    """Name of a function; empty for a tensor's attributes that do not contain its values."""
    name: str = getattr(function, "__name__", "")
    if name in ("__get__", "__set__"):
        name = torch_function(function).name
        return name if name in _GETTERS else ""
    return name


def tensors_in(values: Iterable[Any], depth: int = 2) -> list[torch.Tensor]:
    """The tensors among values, and in tuples and lists of them."""
    found: list[torch.Tensor] = []
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif depth and isinstance(value, tuple | list):
            found += tensors_in(value, depth - 1)
    return found
