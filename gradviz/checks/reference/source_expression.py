"""The expressions of a call of torch, as the source writes them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from types import FrameType

from gradviz.recorder.source_expressions import CallingSyntax, syntax_at

_LONGEST = 80
"""Longer expressions are not quoted in a sentence."""


@dataclass(frozen=True, slots=True)
class CallExpression:
    """Source of one call or operator; fields are empty where the source is unknown or too long.

    Attributes:
        call: The whole expression.
        operands: Its operands, the receiver of a method first.
    """

    call: str = ""
    operands: tuple[str, ...] = ()

    def operand(self, place: int) -> str:
        """The expression of one operand; empty if it is unknown."""
        return self.operands[place] if place < len(self.operands) else ""


def expression_at(frame: FrameType, name: str, arguments: int) -> CallExpression:
    """The expression that a frame evaluates.

    Args:
        frame: The frame.
        name: Name of the torch function that it calls.
        arguments: How many positional arguments torch received.
    """
    found = syntax_at(frame.f_code, frame.f_lasti)
    if found is None:
        return CallExpression()
    return CallExpression(_text(found), tuple(map(_text, _operands(found, name, arguments))))


_REFLECTED = {"radd", "rsub", "rmul", "rdiv", "rtruediv", "rfloordiv", "rmod", "rpow", "rmatmul"}
"""Operators of a tensor on the right, which torch receives first."""


def _operands(node: CallingSyntax, name: str, arguments: int) -> list[ast.expr]:
    if isinstance(node, ast.AugAssign):
        return [node.target, node.value]
    if isinstance(node, ast.BinOp):
        # Torch gives some of them the name of the plain operator; a number is never a tensor.
        is_reflected = name in _REFLECTED or isinstance(node.left, ast.Constant)
        return [node.right, node.left] if is_reflected else [node.left, node.right]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.Subscript | ast.Attribute):
        return [node.value]
    if not isinstance(node, ast.Call) or any(isinstance(e, ast.Starred) for e in node.args):
        return []
    # A method gives torch one argument more than are written in parentheses.
    if isinstance(node.func, ast.Attribute) and len(node.args) + 1 == arguments:
        return [node.func.value, *node.args]
    return node.args


def _text(node: CallingSyntax) -> str:
    text = ast.unparse(node)
    return text if len(text) <= _LONGEST else ""
