"""The expression in the source that a frame executes."""

from __future__ import annotations

import ast
import functools
from itertools import islice
from types import CodeType
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from gradviz.analysis.source_statements import nodes_of
from gradviz.recorder.safe_text import printable_text
from gradviz.recorder.sources import tree_of

Form = Literal["call", "operator", "literal", "reflected", "operand", "subscript", ""]
"""How the source makes the call; ``literal`` is an operator with a literal on its right,
``reflected`` with one on its left, ``operand`` has only one, and ``subscript`` is read or set."""

MOST_NAME = 40
"""Characters of a name that is shown."""


MEMBER = "\n"
"""Precedes the name of each member of a list. Names are printable, so none contains it."""


class SourceExpression(Struct, frozen=True):
    """A call, operator or subscript in the source.

    Attributes:
        form: How it calls a function.
        names: Names of its operands, or of the positional arguments in its parentheses. That of a
            list consists of `MEMBER` and a name for each of its members; that of ``*rest`` begins
            with its star.
        keywords: Keyword and name of the other arguments; the keyword of ``**rest`` is empty.
        callee: The called name, like ``norm`` in ``torch.norm(x)``.
        receiver: What the callee is an attribute of; None if it is a plain name.
        targets: Names that its result is assigned to; that of ``*rest`` begins with its star.
    """

    form: Form
    names: tuple[str, ...] = ()
    callee: str = ""
    receiver: str | None = None
    keywords: tuple[tuple[str, str], ...] = ()
    targets: tuple[str, ...] = ()


_NOTHING = SourceExpression("")


CallingSyntax = ast.expr | ast.AugAssign
"""What the source calls torch with: an expression, or an augmented assignment."""


@functools.lru_cache(maxsize=10_000)
def expression_at(code: CodeType, instruction: int) -> SourceExpression:
    """The expression at an instruction, given as its offset in bytes; empty if unknown."""
    node, tree = syntax_at(code, instruction), tree_of(code.co_filename)
    if node is None or tree is None:
        return _NOTHING
    _, assigned = _syntax(tree)
    return replace(_read_expression(node), targets=assigned.get(id(node), ()))


def syntax_at(code: CodeType, instruction: int) -> CallingSyntax | None:
    """The syntax that an instruction, given as its offset in bytes, executes; None if unknown."""
    # Python counts the offset in bytes, two for each instruction.
    position = next(islice(code.co_positions(), instruction // 2, None), None)
    tree = None if position is None or None in position else tree_of(code.co_filename)
    return None if tree is None else _syntax(tree)[0].get(position)


_CALLING = (
    *(ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript, ast.Attribute),
    ast.AugAssign,
)
_ASSIGNING = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr)


@functools.lru_cache(maxsize=64)
def _syntax(tree: ast.Module) -> tuple[dict[Any, CallingSyntax], dict[int, tuple[str, ...]]]:
    """The outermost call, operator or other access at each position of a file.

    And assignment targets by ``id()`` of the assigned node, or of an augmented assignment.
    """
    calls: dict[Any, CallingSyntax] = {}
    assigned: dict[int, tuple[str, ...]] = {}
    for node in nodes_of(tree):
        if isinstance(node, _CALLING):
            span = (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)
            calls.setdefault(span, node)
        if isinstance(node, _ASSIGNING):
            assigned |= _targets(node)
    return calls, assigned


def _targets(node: ast.AST) -> dict[int, tuple[str, ...]]:
    if isinstance(node, ast.Assign):
        # In `x = y = torch.ones(2)`, the first name is as good as the others.
        return _assigned(node.targets[0], node.value)
    if isinstance(node, ast.AugAssign):
        return {id(node): (_variable(node.target),)}
    if isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        return {id(node.value): (_variable(node.target),)}
    return {}


def _assigned(target: ast.expr, value: ast.expr) -> dict[int, tuple[str, ...]]:
    parts = target.elts if isinstance(target, _LISTS) else [target]
    values = value.elts if isinstance(value, _LISTS) else []
    spread = any(isinstance(each, ast.Starred) for each in (*parts, *values))
    # `*rows, = x` takes its rows from what is one tensor.
    found = {id(value): tuple([_variable(each) for each in parts if parts[1:] or not spread])}
    if isinstance(target, _LISTS) and len(values) == len(parts) and not spread:
        # Each value has its target, as in `x, y = torch.ones(2), torch.ones(3)`.
        for pair in zip(parts, values, strict=True):
            found |= _assigned(*pair)
    return found


_LISTS = (ast.Tuple, ast.List)


@functools.lru_cache(maxsize=1_000)
def spread_targets(targets: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Targets of so many values, with ``rest[0]``, ``rest[1]`` ... in the place of ``*rest``."""
    for at, name in enumerate(targets):
        if name.startswith("*"):
            members = [f"{name[1:]}[{place}]" for place in range(count - len(targets) + 1)]
            return (*targets[:at], *members, *targets[at + 1 :])
    return targets


def _variable(node: ast.expr) -> str:
    """What is assigned, as `_place` names it; the value becomes a part of a tensor in ``x[0]``."""
    if isinstance(node, ast.Starred):
        return f"*{_place(node.value)}"
    if isinstance(node, ast.Subscript):
        is_key = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
        return _place(node) if is_key else ""
    return _place(node)


def _read_expression(node: CallingSyntax) -> SourceExpression:
    match node:
        case ast.Call(func=function, args=args, keywords=others):
            names = tuple([_argument(each) for each in args])
            keywords = tuple([(each.arg or "", _argument(each.value)) for each in others])
            match function:
                case ast.Attribute(value=value, attr=callee):
                    return SourceExpression("call", names, callee, _place(value), keywords)
                case ast.Name(id=callee):
                    return SourceExpression("call", names, callee, None, keywords)
                case _:
                    return SourceExpression("")
        case (
            ast.BinOp(left=left, right=right)
            | ast.AugAssign(target=left, value=right)
            | ast.Compare(left=left, comparators=[right])
        ):
            form: Form = "literal" if _is_constant(right) else "operator"
            return SourceExpression(
                "reflected" if _is_constant(left) else form, (_place(left), _place(right))
            )
        case ast.UnaryOp(operand=operand) | ast.Attribute(value=operand):
            return SourceExpression("operand", (_place(operand),))
        case ast.Subscript(value=value):
            return SourceExpression("subscript", (_place(value), "index", "value"))
        case _:
            return _NOTHING


def _argument(node: ast.expr) -> str:
    """The name of an argument as `_place` gives it; for a list, the names of its members."""
    if isinstance(node, ast.Starred):
        return f"*{_place(node.value)}"
    if not isinstance(node, ast.List | ast.Tuple):
        return _place(node)
    members = [_place(each) for each in node.elts]
    starred = any(isinstance(each, ast.Starred) for each in node.elts)
    return MEMBER + MEMBER.join(members) if any(members) and not starred else ""


def _place(node: ast.expr) -> str:
    """A plain or dotted name, also with keys: ``params['w']``, ``layers[i].weight``; or empty."""
    inner = node
    while isinstance(inner, ast.Attribute) or (
        isinstance(inner, ast.Subscript) and _is_key(inner.slice)
    ):
        inner = inner.value
    return _named(node) if isinstance(inner, ast.Name) else ""


def _is_key(node: ast.expr) -> bool:
    """Whether what stands in brackets is short: constants, names, and slices of both."""
    match node:
        case ast.Tuple(elts=parts):
            return all(map(_is_key, parts))
        case ast.Slice(lower=lower, upper=upper, step=step):
            return all(each is None or _is_key(each) for each in (lower, upper, step))
        case _:
            return isinstance(node, ast.Name) or _is_constant(node)


def _is_constant(value: ast.expr) -> bool:
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
        value = value.operand
    return isinstance(value, ast.Constant)


def _named(node: ast.expr) -> str:
    text = printable_text(ast.unparse(node))
    return text if len(text) <= MOST_NAME else ""
