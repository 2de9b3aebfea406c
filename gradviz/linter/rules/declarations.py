"""Rules on how the methods of a Function are declared: static, once, and without a rival."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass, FunctionMethod
from gradviz.linter.saved_values import last_name
from gradviz.linter.violation import Violation

_STATIC = frozenset({"staticmethod", "classmethod"})


def not_static(function: FunctionClass) -> Iterator[Violation]:
    """Yield methods without ``@staticmethod``."""
    for method in function.methods.values():
        if not any(map(method.is_declared, _STATIC)):
            yield Violation(method, method.assigned_line or method.node.lineno)


def backward_and_vjp(function: FunctionClass) -> Iterator[Violation]:
    """Yield ``vjp`` if there is also a ``backward``."""
    if {"backward", "vjp"} <= function.methods.keys():
        vjp = function.methods["vjp"]
        yield Violation(vjp, vjp.node.lineno)


def context_with_setup_context(function: FunctionClass) -> Iterator[Violation]:
    """Yield a ``forward`` that takes the context although ``setup_context`` fills it."""
    forward = function.forward
    if forward is not None and function.takes_context_in_vain:
        yield Violation(forward, forward.node.lineno, values={"name": forward.context})


def setup_context_signature(function: FunctionClass) -> Iterator[Violation]:
    """Yield a ``setup_context`` that does not take the context, the inputs and the output."""
    setup = function.methods.get("setup_context")
    if setup is None or "classmethod" in {*setup.wrappers, *setup.decorators()}:
        return
    arguments, names = setup.node.args, setup.parameters
    least, most = len(names) - len(arguments.defaults), len(names)
    fits = least <= 3 and (most >= 3 or bool(setup.star))
    if not fits or None in arguments.kw_defaults:
        yield Violation(setup, setup.node.lineno, "count")
    elif most >= 3 and _are_misleading(names[1:3], function.forward):
        yield Violation(setup, setup.node.lineno, "names", {"first": names[1], "second": names[2]})


def _are_misleading(names: tuple[str, ...], forward: FunctionMethod | None) -> bool:
    """Whether two parameters are named as single inputs, or the other way around."""
    first, second = names
    if first.startswith("in"):
        return False
    is_of_forward = forward is not None and names == forward.parameters
    return is_of_forward or (first.startswith("out") and second.startswith("in"))


def forward_without_context(function: FunctionClass) -> Iterator[Violation]:
    """Yield a ``forward`` whose first parameter is meant as an input, not as the context."""
    forward = function.forward
    if forward is not None and function.lacks_context:
        yield Violation(forward, forward.node.lineno, values={"name": forward.context})


def not_applied(function: FunctionClass) -> Iterator[Violation]:
    """Yield calls of an instance, and of a ``forward`` with None in place of the context."""
    forward = function.forward
    if forward is None:
        return
    for call in function.calls:
        variant = "instance" if isinstance(call.func, ast.Name) else "forward"
        yield Violation(forward, call.lineno, variant, {"line": str(call.lineno)})


def ambiguous_vmap(function: FunctionClass) -> Iterator[Violation]:
    """Yield ``vmap`` if torch is also asked to generate it."""
    asked = any(
        isinstance(node, ast.Assign | ast.AnnAssign)
        and any(
            getattr(each, "id", "") == "generate_vmap_rule"
            for each in (node.targets if isinstance(node, ast.Assign) else [node.target])
        )
        and getattr(node.value, "value", None) is True
        for node in function.node.body
    )
    if asked and "vmap" in function.methods:
        vmap = function.methods["vmap"]
        yield Violation(vmap, vmap.node.lineno)


def useless_once_differentiable(function: FunctionClass) -> Iterator[Violation]:
    """Yield other methods than ``backward`` that are decorated with ``once_differentiable``."""
    for name, method in function.methods.items():
        if name not in ("backward", "vjp") and "once_differentiable" in method.decorators():
            yield Violation(method, method.node.lineno)


_CAST = frozenset(
    {"matmul", "mm", "mv", "bmm", "addmm", "addmv", "addbmm", "baddbmm", "linear", "bilinear"}
    | {"conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}
    | {"einsum", "chain_matmul", "multi_dot", "scaled_dot_product_attention", "prelu"}
)


def custom_bwd_without_custom_fwd(function: FunctionClass) -> Iterator[Violation]:
    """Yield a ``backward`` whose decorator misses what the other one keeps on the context."""
    backward, forward = function.backward, function.forward
    if backward is None or forward is None or not backward.is_declared("custom_bwd"):
        return
    # An unknown decorator may be, or contain, the missing one.
    if {*forward.decorators(), *forward.wrappers} <= _STATIC and not _sets_by_hand(function):
        lines = zip(backward.node.decorator_list, backward.decorators(), strict=True)
        line = next((node.lineno for node, name in lines if name == "custom_bwd"), None)
        yield Violation(backward, line or backward.node.lineno)


def custom_fwd_without_custom_bwd(function: FunctionClass) -> Iterator[Violation]:
    """Yield a ``forward`` that keeps an autocast state which ``backward`` does not use."""
    backward, forward = function.backward, function.forward
    if backward is None or forward is None or not forward.is_declared("custom_fwd"):
        return
    if {*backward.decorators(), *backward.wrappers} <= _STATIC | {"once_differentiable"}:
        lines = zip(forward.node.decorator_list, forward.decorators(), strict=True)
        line = next((node.lineno for node, name in lines if name == "custom_fwd"), None)
        yield Violation(forward, line or forward.node.lineno, values={"reader": backward.name})


def autocast_without_custom_fwd(function: FunctionClass) -> Iterator[Violation]:
    """Yield a ``forward`` that is applied under autocast and computes what autocast casts."""
    forward, lines = function.forward, function.autocast_lines
    if forward is None or not lines or not {*forward.decorators(), *forward.wrappers} <= _STATIC:
        return
    if any(map(_is_cast, forward.nodes())):
        yield Violation(forward, forward.node.lineno, values={"line": str(lines[0])})


def _is_cast(node: ast.AST) -> bool:
    """Whether autocast computes an operation in a smaller dtype."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.MatMult)
    return isinstance(node, ast.Call) and last_name(node.func) in _CAST


def _sets_by_hand(function: FunctionClass) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr == "_fwd_used_autocast"
        for method in function.methods.values()
        for node in ast.walk(method.node)
    )
