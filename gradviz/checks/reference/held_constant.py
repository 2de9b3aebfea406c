"""Execution of a function with an intermediate result treated as a constant.

Typical mistakes in a hand-written backward are forgotten terms: the maximum depends on the input
too, or a product has two factors. What remains is what autograd computes if that result, or that
one use of it, is a constant.

Execution with intact autograd history, as if nothing in a function had been detached. This restores
the history that ``.detach()``, ``.data``, ``torch.no_grad()``, and a tensor made from a tensor
drop. If the two Jacobians agree only then, such a cut is the cause.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from msgspec import Struct
from msgspec.structs import replace
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as tree

from gradviz.catalogue.messages import say
from gradviz.checks.arguments import requires_grad
from gradviz.checks.reference.calling_source import (
    CallExpression,
    CallingLine,
    expression_at,
    find_calling_frame,
    find_calling_line,
)
from gradviz.checks.reference.decompositions import COMPOSITE
from gradviz.recorder.patching.signals import calls_user_code

_LEAVING = {
    "item": ".item()",
    "tolist": ".tolist()",
    "numpy": ".numpy()",
    "__array__": "NumPy",
    "__float__": "float()",
    "__int__": "int()",
    "__complex__": "complex()",
}


class WithoutDetachMode(TorchFunctionMode):
    """Mode in which no operation cuts the autograd history of tensors.

    Attributes:
        cuts: Operations that would have cut it, in order, each with its line.
        leaks: Places where values left torch, so that no history can follow, each with its line.
    """

    def __init__(self) -> None:
        super().__init__()
        self.cuts: list[tuple[str, CallingLine | None]] = []
        self.leaks: list[tuple[str, CallingLine | None]] = []

    @calls_user_code
    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Intercept every call of a torch function."""
        name = _cutting(func, args) if torch.is_grad_enabled() else ""
        leaving = getattr(func, "__name__", "") in _LEAVING
        if leaving and torch.is_grad_enabled() and requires_grad(args[0]):
            self.leaks.append((_LEAVING[func.__name__], find_calling_line()))
            # The code has detached it, which had no effect here; torch converts nothing with a
            # history.
            return func(args[0].detach(), *args[1:], **(kwargs or {}))
        if not name:
            return func(*args, **(kwargs or {}))
        self.cuts.append((name, find_calling_line()))
        return None if name == "torch.no_grad()" else _whole(args[-1])


def _whole(value: Tensor) -> Tensor:
    # Another tensor object, as from the functions that are replaced.
    return value.view_as(value)


def _cutting(func: Callable[..., Any], args: tuple[Any, ...]) -> str:
    """Name, as written in source, of a function that cuts history; empty for any other."""
    name: str = getattr(func, "__name__", "")
    # `torch.no_grad` calls this; without the call, gradients stay enabled.
    if name == "_set_grad_enabled":
        return "" if args[0] else "torch.no_grad()"
    if not args or not requires_grad(args[-1]):
        return ""
    if name == "detach":
        return ".detach()"
    if name == "__get__" and _attribute(func) == "data":
        return ".data"
    return f"torch.{name}()" if name in ("tensor", "new_tensor") else ""


def _attribute(getter: Callable[..., Any]) -> str:
    """Name of the attribute that a getter reads."""
    return str(getattr(getattr(getter, "__self__", None), "__name__", ""))


RESULT = -1
"""The place of a call's result."""


_NOTHING_WRITTEN = CallExpression()


class ConstantResult(Struct, frozen=True):
    """A tensor to treat as a constant.

    Attributes:
        call: Number of the torch call.
        place: Index among the values in its arguments, or -1 for its result.
        name: Name of the function called.
        line: Line of the call; None if it is not in user code.
        source: What the source writes there; without operands if the call is a part of that.
    """

    call: int
    place: int
    name: str
    line: CallingLine | None
    source: CallExpression = _NOTHING_WRITTEN

    def __str__(self) -> str:
        """The tensor as part of a sentence, in the words of the source if it has any."""
        call, operands = self.source.call, self.source.operands
        operand = "" if self.place == RESULT else self.source.operand(self.place)
        values = {"function": self.name, "number": self.place + 1, "call": call}
        values["operand"] = operand
        if not call:
            key = "held.result" if self.place == RESULT else "held.operand"
        elif self.place == RESULT:
            key = "held.value" if operands else "held.result_in"
        else:
            key = "held.value_in" if operand else "held.operand_in"
        if self.line is None:
            return say(key, **values)
        return say(f"{key}.at", **values, file=self.line.file, line=self.line.line)


class HoldConstantMode(TorchFunctionMode):
    """Mode in which chosen tensors are treated as constants.

    Attributes:
        offered: All tensors that could be cut, in order of the calls.
    """

    def __init__(self, cuts: tuple[ConstantResult, ...] = ()) -> None:
        super().__init__()
        self.offered: list[ConstantResult] = []
        self._cuts = {(each.call, each.place) for each in cuts}
        self._calls = 0
        self._is_inside = False

    @calls_user_code
    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Intercept every call of a torch function."""
        name, keywords = torch_name(func), kwargs or {}
        plain = COMPOSITE.get(name)
        if plain is not None and torch.is_grad_enabled():
            # Torch disables the mode during a call, but these operations are to be cut as well.
            outer, self._is_inside = self._is_inside, True
            with self:
                found = written_out(plain, args, keywords)
            self._is_inside = outer
            if found is not None:
                return found
        return self._call(func, name, args, keywords)

    @calls_user_code
    def _call(
        self, func: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any:
        self._calls += 1
        call = self._calls
        changes = name.endswith("_") or name == "setitem" or kwargs.get("out") is not None
        values, form = tree.tree_flatten((args, dict(kwargs)))
        for k, value in enumerate(values):
            # What a call writes to is its result, not an operand.
            if requires_grad(value) and not (changes and k == 0):
                self._offer(call, k, name, args)
                values[k] = value.detach() if (call, k) in self._cuts else value
        args, kwargs = tree.tree_unflatten(values, form)
        result = func(*args, **kwargs)
        if requires_grad(result) and not changes:
            self._offer(call, RESULT, name, args)
            return result.detach() if (call, RESULT) in self._cuts else result
        return result

    def _offer(self, call: int, place: int, name: str, args: tuple[Any, ...]) -> None:
        # Lines are found only in the run that offers the cuts, because it takes time.
        frame = None if self._cuts else find_calling_frame()
        found = ConstantResult(call, place, name, None)
        if frame is not None:
            source = expression_at(frame, name, args)
            source = CallExpression(source.call) if self._is_inside else source
            found = replace(found, line=find_calling_line(), source=source)
        self.offered.append(found)


def written_out(
    plain: Callable[..., Tensor | None], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Tensor | None:
    """The result of a written-out function; None if it does not cover the arguments."""
    try:
        return plain(*args, **kwargs)
    except TypeError:  # Called with unusual arguments.
        return None


def torch_name(func: Callable[..., Any]) -> str:
    """Readable name of a torch function: ``sum``, ``getitem``, ``T``."""
    name: str = getattr(func, "__name__", "")
    if name == "__get__":
        return str(getattr(getattr(func, "__self__", None), "__name__", name))
    return name[2:-2] if name.startswith("__") and name.endswith("__") else name
