"""How the methods of a Function are declared: static, once, and without a rival."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass, FunctionMethod
from gradviz.linter.violation import Violation

_STATIC = ("staticmethod", "classmethod")


def find_not_static(function: FunctionClass) -> Iterator[Violation]:
    """Yield methods without ``@staticmethod``."""
    for method in function.methods.values():
        if not any(map(method.is_declared, _STATIC)):
            yield Violation(method=method, line=method.assigned_line or method.node.lineno)


def find_backward_and_vjp(function: FunctionClass) -> Iterator[Violation]:
    """Yield ``vjp`` if there is also a ``backward``."""
    if {"backward", "vjp"} <= function.methods.keys():
        vjp = function.methods["vjp"]
        yield Violation(method=vjp, line=vjp.node.lineno)


def find_context_with_setup_context(function: FunctionClass) -> Iterator[Violation]:
    """Yield a ``forward`` that takes the context although ``setup_context`` fills it."""
    forward = function.forward
    if forward is not None and function.takes_context_in_vain:
        values = {"name": forward.context}
        yield Violation(method=forward, line=forward.node.lineno, values=values)


def find_setup_context_signature(function: FunctionClass) -> Iterator[Violation]:
    """Yield a ``setup_context`` that does not take the context, the inputs and the output."""
    setup = function.methods.get("setup_context")
    if setup is None or "classmethod" in {*setup.wrappers, *setup.decorators()}:
        return
    arguments, names = setup.node.args, setup.parameters
    least, most = len(names) - len(arguments.defaults), len(names)
    fits = least <= 3 and (most >= 3 or bool(setup.star))
    if not fits or None in arguments.kw_defaults:
        yield Violation(method=setup, line=setup.node.lineno, variant="count")
    elif most >= 3 and _are_misleading(names[1:3], function.forward):
        values = {"first": names[1], "second": names[2]}
        yield Violation(method=setup, line=setup.node.lineno, variant="names", values=values)


def _are_misleading(names: tuple[str, ...], forward: FunctionMethod | None) -> bool:
    """Whether two parameters are named as single inputs, or the other way around."""
    first, second = names
    if first.startswith("in"):
        return False
    is_of_forward = forward is not None and names == forward.parameters
    return is_of_forward or (first.startswith("out") and second.startswith("in"))


def find_forward_without_context(function: FunctionClass) -> Iterator[Violation]:
    """Yield a ``forward`` whose first parameter is meant as an input, not as the context."""
    forward = function.forward
    if forward is not None and function.lacks_context:
        values = {"name": forward.context}
        yield Violation(method=forward, line=forward.node.lineno, values=values)


def find_not_applied(function: FunctionClass) -> Iterator[Violation]:
    """Yield calls of an instance, and of a ``forward`` with None in place of the context."""
    forward = function.forward
    if forward is None:
        return
    for call in function.calls:
        variant = "instance" if isinstance(call.func, ast.Name) else "forward"
        values = {"line": str(call.lineno)}
        yield Violation(method=forward, line=call.lineno, variant=variant, values=values)


def find_ambiguous_vmap(function: FunctionClass) -> Iterator[Violation]:
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
        yield Violation(method=vmap, line=vmap.node.lineno)


def find_useless_once_differentiable(function: FunctionClass) -> Iterator[Violation]:
    """Yield other methods than ``backward`` that are decorated with ``once_differentiable``."""
    for name, method in function.methods.items():
        if name not in ("backward", "vjp") and "once_differentiable" in method.decorators():
            yield Violation(method=method, line=method.node.lineno)
