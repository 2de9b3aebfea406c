"""What the source writes where user code calls torch: the line, the expression and its operands."""

from __future__ import annotations

import ast
import functools
import inspect
import math
from collections.abc import Mapping, Sequence
from numbers import Number
from pathlib import Path
from types import FrameType
from typing import Any

from msgspec import Struct
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.recorder.own_errors import is_torch_or_ours
from gradviz.recorder.source_expressions import CallingSyntax, syntax_at
from gradviz.recorder.sources import is_call_by_gradviz, shown_path

_LONGEST = 80
"""Longer expressions are not quoted in a sentence."""


class CallExpression(Struct, frozen=True):
    """Source of one call or operator; fields are empty where the source is unknown or too long.

    Attributes:
        call: The whole expression.
        operands: Its operands in the order in which torch receives them, the receiver of a method
            first; empty if this order is unknown.
        is_reflected: Whether torch receives the right operand of an operator first; None if the
            source does not tell.
        is_part: Whether the call is only one of those that torch makes for the expression.
        column: Column of the expression, which tells equal ones of a line apart.
    """

    call: str = ""
    operands: tuple[str, ...] = ()
    is_reflected: bool | None = False
    is_part: bool = False
    column: int = -1

    def operand(self, place: int) -> str:
        """The expression of one operand; empty if it is unknown."""
        return self.operands[place] if place < len(self.operands) else ""


def expression_at(frame: FrameType, name: str, args: Sequence[Any]) -> CallExpression:
    """The expression that a frame evaluates.

    Args:
        frame: The frame.
        name: Name of the torch function that it calls.
        args: The positional arguments that torch received.
    """
    node = syntax_at(frame.f_code, frame.f_lasti)
    if node is None:
        return CallExpression()
    column = node.col_offset
    if not isinstance(node, ast.BinOp | ast.AugAssign):
        operands = tuple(map(_text, _operands(node, len(args))))
        return CallExpression(_text(node), operands, column=column)
    left, right = (
        (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
    )
    reflected = _is_reflected((left, right), node.op, name, args, frame)
    is_part = isinstance(node.op, ast.Div) and name in ("mul", "reciprocal")
    ordered = (right, left) if reflected else (left, right)
    operands = () if reflected is None or is_part else tuple(map(_text, ordered))
    return CallExpression(_text(node), operands, reflected, is_part, column)


_REFLECTED = {"radd", "rsub", "rmul", "rdiv", "rtruediv", "rfloordiv", "rmod", "rpow", "rmatmul"}
"""Operators of a tensor on the right, which torch receives first."""


def _is_reflected(
    operands: tuple[ast.expr, ast.expr],
    operator: ast.operator,
    name: str,
    args: Sequence[Any],
    frame: FrameType,
) -> bool | None:
    """Whether torch receives the right operand first; None if the source does not tell."""
    if name in _REFLECTED:
        return True
    if [isinstance(each, Tensor) for each in args[:2]] != [True, False]:
        return False
    if isinstance(operator, ast.Div):
        return name == "mul"  # `2 / x` is the reciprocal of x, times 2.
    # Torch gives only these the name of the plain operator.
    if name not in ("add", "mul"):
        return False
    left, right = (_is_tensor(each, frame) for each in operands)
    return right if left is None else not left


def _is_tensor(node: ast.expr, frame: FrameType) -> bool | None:
    """Whether an expression is a tensor, or a number; None if that is unknown."""
    if isinstance(node, ast.UnaryOp):
        return _is_tensor(node.operand, frame)
    if isinstance(node, ast.BinOp):
        both = {_is_tensor(node.left, frame), _is_tensor(node.right, frame)}
        return True if True in both else None if None in both else False
    if isinstance(node, ast.Call):
        called = _value(node.func, frame)
        is_number = called in (len, int, float, complex) or inspect.getmodule(called) is math
        return False if is_number else None
    value = _value(node, frame)
    return True if isinstance(value, Tensor) else False if isinstance(value, Number) else None


def _value(node: ast.expr, frame: FrameType) -> object:
    """The value of a literal, a variable or a plain attribute; None if it is something else."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Attribute):
        # No property runs.
        return inspect.getattr_static(_value(node.value, frame), node.attr, None)
    if isinstance(node, ast.Name):
        scopes: tuple[Mapping[str, object], ...] = (frame.f_locals, frame.f_globals)
        found = (each[node.id] for each in (*scopes, frame.f_builtins) if node.id in each)
        return next(found, None)
    return None


def _operands(node: CallingSyntax, arguments: int) -> list[ast.expr]:
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


@functools.lru_cache(maxsize=10_000)
def _text(node: CallingSyntax) -> str:
    text = ast.unparse(node)
    return text if len(text) <= _LONGEST else ""


class CallingLine(Struct, frozen=True):
    """A line of user code."""

    path: str
    line: int
    function: str

    @property
    def file(self) -> str:
        """Name of the file without its folder."""
        return Path(self.path).name

    def __str__(self) -> str:
        """The file name and line, to end a sentence."""
        return say("line_of_file", file=self.file, line=self.line)


def find_calling_line() -> CallingLine | None:
    """The innermost line of user code on the stack; None if there is none."""
    frame = find_calling_frame()
    return None if frame is None else line_of(frame)


def line_of(frame: FrameType) -> CallingLine:
    """The line that a frame executes."""
    code = frame.f_code
    return CallingLine(shown_path(code.co_filename), frame.f_lineno, code.co_name)


def find_calling_frame() -> FrameType | None:
    """The innermost frame of user code on the stack; None if torch itself calls the operation."""
    frame = inspect.currentframe()
    while frame is not None and is_torch_or_ours(path := frame.f_code.co_filename):
        # Whoever has started the check does not call the operation.
        frame = None if is_call_by_gradviz(path) else frame.f_back
    return frame
