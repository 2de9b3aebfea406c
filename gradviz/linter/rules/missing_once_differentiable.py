"""``backward`` leaves autograd without being declared once differentiable."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass, FunctionMethod
from gradviz.linter.return_flow import ReturnFlow, no_grad_calls
from gradviz.linter.returned_gradients import is_none, returned_gradients
from gradviz.linter.saved_values import CONSTANT_CALLS, SavedValues, last_name
from gradviz.linter.violation import Violation

_LEAVING_CALLS = frozenset({"detach", "numpy", "item", "tolist"})
_ARRAYS = frozenset({"np.asarray", "np.array", "numpy.asarray", "numpy.array"})
# What describes a tensor has no derivative.
_DESCRIPTIONS = CONSTANT_CALLS | frozenset(
    {"shape", "size", "dim", "ndim", "numel", "stride", "dtype", "device", "layout", "len"}
    | {"is_contiguous", "requires_grad"}
)


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield the first value that a ``backward`` takes out of autograd and computes with."""
    method = function.backward
    if method is None or method.is_declared("once_differentiable"):
        return
    tensors = _Tensors(function, method)
    entering = ReturnFlow(method).entering()
    for node in method.nodes():
        text = _leaving(node) if id(node) in entering else ""
        if text and tensors.are_read_in(node):
            yield Violation(method=method, line=getattr(node, "lineno", 0), values={"text": text})
            return
    for call, inner in no_grad_calls(method):
        if any(id(node) in entering and tensors.are_read_in(node) for node in inner):
            values = {"text": f"{ast.unparse(call.func)}()"}
            yield Violation(method=method, line=call.lineno, values=values)
            return


class _Tensors:
    """Incoming gradients, saved tensors with a derivative, and what is computed from them."""

    def __init__(self, function: FunctionClass, method: FunctionMethod) -> None:
        self._method = method
        self._constants = _constant_positions(function)
        self._names = {*method.parameters[1:], method.star} - {""}
        for node in method.nodes():
            if isinstance(node, ast.Assign) and self.are_read_in(node.value):
                for target in node.targets:
                    self._names |= self._assigned(target, node.value)

    def are_read_in(self, root: ast.AST) -> bool:
        """Whether an expression reads elements of such tensors, not only shapes or dtypes."""
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Attribute) and node.attr in _DESCRIPTIONS:
                continue
            if isinstance(node, ast.Call) and last_name(node.func) in _DESCRIPTIONS:
                continue
            if isinstance(node, ast.Name) and node.id in self._names:
                return True
            if isinstance(node, ast.Subscript) and self._is_constant(node):
                continue
            if self._method.is_context(node, "saved_tensors"):
                return True
            waiting += ast.iter_child_nodes(node)
        return False

    def _assigned(self, target: ast.expr, value: ast.expr) -> set[str]:
        is_saved = self._method.is_context(value, "saved_tensors")
        if is_saved and isinstance(target, ast.Tuple | ast.List):
            members = [e for k, e in enumerate(target.elts) if k not in self._constants]
        else:
            members = [target]
        names = (node for each in members for node in ast.walk(each))
        return {each.id for each in names if isinstance(each, ast.Name)}

    def _is_constant(self, node: ast.Subscript) -> bool:
        index = getattr(node.slice, "value", None)
        return self._method.is_context(node.value, "saved_tensors") and index in self._constants


def _constant_positions(function: FunctionClass) -> frozenset[int]:
    """Positions of saved tensors without a derivative: masks, indices, and inputs without one."""
    if function.saving is None:
        return frozenset()
    saved = SavedValues(function=function, method=function.saving).saved() or ()
    inputs = function.inputs or ()
    returns = [values for _, values in returned_gradients(function)]
    without = {
        name
        for position, name in enumerate(inputs)
        if returns and all(is_none(value) for each in returns for value in each[position:][:1])
    }
    return frozenset(
        position
        for position, (node, kind, _) in enumerate(saved)
        if kind == "constant" or (isinstance(node, ast.Name) and node.id in without)
    )


def _leaving(node: ast.AST) -> str:
    """How a node leaves autograd, as it is written; empty if it does not."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if ast.unparse(node.func) in _ARRAYS:
            return f"{ast.unparse(node.func)}()"
        return f".{node.func.attr}()" if node.func.attr in _LEAVING_CALLS else ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "float":
        return "float()"
    is_data = isinstance(node, ast.Attribute) and node.attr == "data"
    return ".data" if is_data and isinstance(node.ctx, ast.Load) else ""  # type: ignore[attr-defined]
