"""Repairs of violations as changes of the source text, for rules with one certain repair."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Iterator

from gradviz.analysis.source_statements import parse_source
from gradviz.linter.function_class import FunctionClass, FunctionMethod, function_classes

_SIMPLE = (ast.Name, ast.Constant, ast.Attribute, ast.Call, ast.Subscript)
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.MatMult: "@",
    ast.Pow: "**",
}


def repaired(source: str, code: str, line: int) -> str | None:
    """The source with one violation repaired.

    Args:
        source: Text of a Python file.
        code: Code of the rule.
        line: Line of the violation, from 1.

    Returns:
        The whole text with nothing else changed; None if there is no certain repair.
    """
    repair = _REPAIRS.get(code)
    # The window asks for each finding that it explains: most rules have no repair to look for.
    tree = None if repair is None else parse_source(source)
    if tree is None or repair is None:
        return None
    for function in function_classes(tree):
        for method in function.methods.values():
            if method.first_line <= line <= (method.node.end_lineno or 0):
                changed = repair(source.splitlines(keepends=True), function, method, line)
                # A repair that Python cannot read is none.
                return None if changed is None or parse_source(changed) is None else changed
    return None


def repair_diff(source: str, changed: str, name: str) -> Iterator[str]:
    """The lines of a unified diff.

    Args:
        source: The text before.
        changed: The text after.
        name: Name of the file.
    """
    before, after = source.splitlines(), changed.splitlines()
    return difflib.unified_diff(before, after, name, name, lineterm="")


def _make_static(
    lines: list[str], function: FunctionClass, method: FunctionMethod, line: int
) -> str:
    at = method.first_line - 1
    indent = " " * method.node.col_offset
    return "".join([*lines[:at], f"{indent}@staticmethod{_ending(lines[at])}", *lines[at:]])


def _drop_decorator(
    lines: list[str], function: FunctionClass, method: FunctionMethod, line: int
) -> str | None:
    for decorator, name in zip(method.node.decorator_list, method.decorators(), strict=True):
        if name == "once_differentiable":
            at, end = decorator.lineno - 1, decorator.end_lineno or decorator.lineno
            return "".join([*lines[:at], *lines[end:]])
    return None


def _drop_surplus(
    lines: list[str], function: FunctionClass, method: FunctionMethod, line: int
) -> str | None:
    inputs = len(function.inputs or ())
    for node in method.nodes():
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            values = node.value.elts
            # Without a first value, nothing would be left of the tuple.
            if node.lineno == line and 0 < inputs < len(values):
                return _cut(lines, values[inputs - 1], values[-1])
    return None


def _cut(lines: list[str], kept: ast.expr, last: ast.expr) -> str | None:
    """Remove what follows one expression up to the end of another one, on the same line."""
    row = (kept.end_lineno or 1) - 1
    if last.end_lineno != kept.end_lineno:
        return None
    # `ast` counts columns in bytes of UTF-8, not in characters.
    text = lines[row].encode("utf-8")
    text = text[: kept.end_col_offset] + text[last.end_col_offset :]
    return "".join([*lines[:row], text.decode("utf-8"), *lines[row + 1 :]])


def _compute_anew(
    lines: list[str], function: FunctionClass, method: FunctionMethod, line: int
) -> str | None:
    """Write ``g = g * 2`` for ``g *= 2``, and ``g = g.mul(2)`` for ``g.mul_(2)``."""
    for node in method.nodes():
        if getattr(node, "lineno", 0) != line or getattr(node, "end_lineno", 0) != line:
            continue
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            text = _assignment(node, node.target.id)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            text = _call(node.value)
        else:
            continue
        indent = " " * node.col_offset
        # A comment or another statement on the line would be lost.
        is_alone = lines[line - 1].strip() == ast.get_source_segment("".join(lines), node)
        if text is None or not is_alone:
            return None
        return "".join(
            [*lines[: line - 1], f"{indent}{text}{_ending(lines[line - 1])}", *lines[line:]]
        )
    return None


def _assignment(node: ast.AugAssign, name: str) -> str | None:
    operator, value = _OPERATORS.get(type(node.op)), ast.unparse(node.value)
    if operator is None:
        return None
    # `g *= a + b` multiplies by the whole sum.
    return f"{name} = {name} {operator} " + (
        value if isinstance(node.value, _SIMPLE) else f"({value})"
    )


def _ending(line: str) -> str:
    """The end of a line, which another line of the same file has as well."""
    return line[len(line.rstrip("\r\n")) :]


def _call(node: ast.Call) -> str | None:
    function = node.func
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return None
    if not function.attr.endswith("_"):
        return None
    name, arguments = function.value.id, ast.unparse(node)[len(ast.unparse(function)) :]
    return f"{name} = {name}.{function.attr.removesuffix('_')}{arguments}"


_REPAIRS: dict[str, Callable[[list[str], FunctionClass, FunctionMethod, int], str | None]] = {
    "surplus_none": _drop_surplus,
    "grad_output_modified": _compute_anew,
    "not_static": _make_static,
    "useless_once_differentiable": _drop_decorator,
}
