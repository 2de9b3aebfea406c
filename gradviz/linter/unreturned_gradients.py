"""Hooks that compute another gradient and do not return it, so that torch keeps the old one."""

from __future__ import annotations

import ast

_CHANGES = frozenset(
    (
        *("clamp", "clip", "clamp_min", "clamp_max", "minimum", "maximum", "nan_to_num"),
        *("where", "masked_fill", "mul", "div", "neg", "sign", "normalize"),
    )
)
_SEQUENCES = frozenset(("tuple", "list"))
_OPEN = (
    *(ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal, ast.For, ast.While),
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef),
)
"""With these, the source does not show what is used later."""

_ARGUMENTS_OF_MODULE_HOOK = 3


def unreturned_gradient(hook: ast.FunctionDef) -> ast.stmt | None:
    """The statement of a hook that makes another gradient, which nothing uses; else None."""
    parts = [part for each in hook.body for part in ast.walk(each)]
    if any(isinstance(each, _OPEN) or _returns_value(each) for each in parts):
        return None
    names = [each.arg for each in hook.args.args if each.arg != "self"]
    # The first argument of a module's hook is the module.
    given = set(names[1:] if len(names) == _ARGUMENTS_OF_MODULE_HOOK else names)
    for each in parts:
        match each:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_given(value, given):
                given.add(name)
                continue
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                is_used = any(_reads_below(part, each, name) for part in parts)
            case ast.Expr(value=ast.Call() as value):
                is_used = any(keyword.arg == "out" for keyword in value.keywords)
            case _:
                continue
        if not is_used and _is_changed(value, given):
            return each
    return None


def _returns_value(part: ast.AST) -> bool:
    match part:
        case ast.Return(value=None | ast.Constant(value=None)):
            return False
        case _:
            return isinstance(part, ast.Return)


def _reads_below(part: ast.AST, line: ast.stmt, name: str) -> bool:
    match part:
        case ast.Name(id=read, ctx=ast.Load(), lineno=at):
            return read == name and at > (line.end_lineno or line.lineno)
        case _:
            return False


def _is_changed(value: ast.expr, given: set[str]) -> bool:
    """Whether an expression is computed from a gradient element by element, and is not it."""
    match value:
        case ast.BinOp(left=left, right=right):
            parts = [left, right]
        case ast.UnaryOp(operand=part):
            parts = [part]
        case ast.Call(func=ast.Attribute(value=owner, attr=name), args=args) if name in _CHANGES:
            parts = [owner, *args]
        case ast.IfExp(body=body, orelse=other):
            return _is_changed(body, given) or _is_changed(other, given)
        case ast.Call(func=ast.Name(id=name), args=[part]) if name in _SEQUENCES:
            return _is_changed(part, given)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return any(_is_changed(each, given) for each in parts)
        case (
            ast.GeneratorExp(elt=part, generators=[each])
            | ast.ListComp(elt=part, generators=[each])
        ):
            own = {each.target.id} if isinstance(each.target, ast.Name) else set()
            return _is_given(each.iter, given) and _is_changed(part, given | own)
        case _:
            return False
    return any(_is_given(each, given) or _is_changed(each, given) for each in parts)


def _is_given(value: ast.expr, given: set[str]) -> bool:
    """Whether an expression is a gradient, or one of several."""
    while isinstance(value, ast.Subscript):
        value = value.value
    return isinstance(value, ast.Name) and value.id in given
