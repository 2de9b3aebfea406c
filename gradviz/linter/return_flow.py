"""Which expressions of ``backward`` enter the gradients that it returns, differentiably."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionMethod
from gradviz.linter.saved_values import CONSTANT_CALLS, TORCH_MODULES, last_name

_DESCRIPTIONS = CONSTANT_CALLS | frozenset(
    {"shape", "size", "dim", "ndim", "numel", "stride", "dtype", "device", "layout", "len", "range"}
    | {"print", "isinstance", "type", "requires_grad"}
)
"""What describes a tensor, or is constant in pieces."""
_FIRST_ONLY = frozenset(
    {"view", "reshape", "expand", "split", "chunk", "narrow", "select", "roll", "sum", "mean"}
    | {"permute", "transpose", "unsqueeze", "squeeze", "flatten", "unflatten", "flip", "gather"}
    | {"index_select", "masked_select", "take", "repeat", "repeat_interleave", "tile", "to", "tril"}
    | {"triu", "movedim", "cumsum", "view_as", "expand_as", "type_as", "unfold", "diagonal"}
)
"""Methods whose other arguments are shapes, dimensions, dtypes or indices."""
_WITHOUT_SECOND = frozenset(
    {"masked_fill", "masked_fill_", "index_add", "index_add_", "index_copy", "index_fill"}
    | {"scatter", "scatter_", "scatter_add", "scatter_add_", "index_put", "index_put_"}
)
"""Methods whose first argument is a mask, a dimension or indices."""


class ReturnFlow:
    """The way of values through one ``backward`` to its ``return``, backwards."""

    def __init__(self, method: FunctionMethod) -> None:
        self._nodes = method.nodes()

    def entering(self) -> frozenset[int]:
        """The ``id()`` of each syntax node whose value enters a returned one differentiably.

        What only decides a branch or a mask, or is a shape or an index, does not enter.
        """
        returns = (node.value for node in self._nodes if isinstance(node, ast.Return))
        waiting: list[ast.AST] = [each for each in returns if each is not None]
        found: set[int] = set()
        names: set[str] = set()
        while waiting:
            node = waiting.pop()
            if id(node) in found:
                continue
            found.add(id(node))
            if isinstance(node, ast.Name) and node.id not in names:
                names.add(node.id)
                waiting += self._sources(node.id)
            waiting += _parts(node)
        return frozenset(found)

    def _sources(self, name: str) -> Iterator[ast.AST]:
        """The expressions that a name receives, or that are written into it."""
        for node in self._nodes:
            if isinstance(node, ast.Call):
                if _fills(node.func, name):
                    yield node
                continue
            targets, value = _assignment(node)
            if value is not None and any(receives(each, name) for each in targets):
                yield value


_FILLING = frozenset({"append", "extend", "insert"})


def _fills(method: ast.expr, name: str) -> bool:
    """Whether a method changes a tensor or list in place."""
    return (
        isinstance(method, ast.Attribute)
        and receives(method.value, name)
        and (method.attr.endswith("_") or method.attr in _FILLING)
    )


def _assignment(node: ast.AST) -> tuple[list[ast.expr], ast.expr | None]:
    """The targets of an assignment or loop, and what they receive."""
    match node:
        case ast.Assign():
            return node.targets, node.value
        case ast.AugAssign() | ast.AnnAssign() | ast.NamedExpr():
            return [node.target], node.value
        case ast.For():
            return [node.target], node.iter
        case _:
            return [], None


def no_grad_calls(method: FunctionMethod) -> Iterator[tuple[ast.Call, list[ast.AST]]]:
    """Yield each ``with torch.no_grad()`` of a method, and the values computed below it."""
    for node in method.nodes():
        if not isinstance(node, ast.With):
            continue
        for item in node.items:
            call = item.context_expr
            if isinstance(call, ast.Call) and last_name(call.func) in ("no_grad", "inference_mode"):
                inner = [each for part in node.body for each in ast.walk(part)]
                yield call, [each for each in inner if isinstance(each, ast.BinOp | ast.Call)]


def receives(target: ast.expr, name: str) -> bool:
    """Whether an assignment's target is a name, has it as a member, or is an element of it."""
    if isinstance(target, ast.Tuple | ast.List):
        return any(receives(each, name) for each in target.elts)
    while isinstance(target, ast.Subscript | ast.Starred):
        target = target.value
    return isinstance(target, ast.Name) and target.id == name


def _parts(node: ast.AST) -> list[ast.AST]:
    """The parts of an expression whose derivative enters its value."""
    match node:
        case ast.Compare() | ast.Lambda():
            return []
        case ast.IfExp():
            return [node.body, node.orelse]
        case ast.Subscript():
            return [node.value]
        case ast.Attribute():
            return [] if node.attr in _DESCRIPTIONS else [node.value]
        case ast.comprehension():
            return [node.iter]
        case ast.Call():
            return _parts_of_call(node)
        case _:
            return list(ast.iter_child_nodes(node))


def _parts_of_call(node: ast.Call) -> list[ast.AST]:
    name = last_name(node.func)
    if name in _DESCRIPTIONS:
        return []
    operands: list[ast.AST] = list(node.args)
    if isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) not in TORCH_MODULES:
        operands.insert(0, node.func.value)
    if name in _FIRST_ONLY:
        return operands[:1]
    if name in _WITHOUT_SECOND:
        return [*operands[:1], *operands[2:]]
    if name == "where" and len(operands) == 3:
        # As a method, the condition comes second: `x.where(mask, 0)`.
        is_method = len(node.args) == 2
        return [operands[0], operands[2]] if is_method else operands[1:]
    return [*operands, *(each.value for each in node.keywords)]
