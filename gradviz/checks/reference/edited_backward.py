"""Execution of a custom backward with one or two of its operations changed.

If the gradients are right with the change, and only then, the mistake is at this operation.

The expressions of a call of torch, as the source writes them.

The line of user code that is currently calling torch.
"""

from __future__ import annotations

import ast
import functools
import inspect
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from msgspec import Struct
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.reference.operation_edits import (
    EditedCall,
    OperationEdit,
    offered_edits,
    reduced_dims,
)
from gradviz.recorder.compat import BackwardNode, DispatchMode, current_node
from gradviz.recorder.patching.signals import calls_user_code
from gradviz.recorder.source_expressions import CallingSyntax, syntax_at
from gradviz.recorder.sources import shown_path

_LONGEST = 80
"""Longer expressions are not quoted in a sentence."""


class CallExpression(Struct, frozen=True):
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


@functools.lru_cache(maxsize=10_000)
def _text(node: CallingSyntax) -> str:
    text = ast.unparse(node)
    return text if len(text) <= _LONGEST else ""


_NOT_THEIRS = (
    str(Path(torch.__file__).parent) + os.sep,
    str(Path(__file__).parent.parent) + os.sep,
)


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
    """The innermost stack line outside torch and the check; None if there is none."""
    frame = find_calling_frame()
    if frame is None:
        return None
    return CallingLine(shown_path(frame.f_code.co_filename), frame.f_lineno, frame.f_code.co_name)


def find_calling_frame() -> FrameType | None:
    """The innermost stack frame outside torch and the check; None if there is none."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(_NOT_THEIRS):
        frame = frame.f_back
    return frame


class OpCall(Struct, frozen=True):
    """One call of an operation in a custom backward.

    Attributes:
        number: Number of the call among all operations of the pass.
        name: Name of the operation, without the underscores of variants in place and inner ones.
        line: The line of user code.
        edits: The changes that can be tried.
        shape: Shape of its result; None if it is not a tensor of numbers.
        saved: Shapes of the tensors that its Function has saved, by name.
        reduced: The dimensions that it reduces.
        operands: Shapes of its first two operands; None for those that are not tensors.
        written: What the source writes there; empty if it is unknown.
    """

    number: int
    name: str
    line: CallingLine
    edits: tuple[OperationEdit, ...]
    shape: tuple[int, ...] | None = None
    saved: tuple[tuple[str, tuple[int, ...]], ...] = ()
    reduced: tuple[int, ...] = ()
    operands: tuple[tuple[int, ...] | None, ...] = ()
    written: str = ""


class BackwardEdit(Struct, frozen=True):
    """A change of one or more calls of one line.

    Attributes:
        option: What is changed.
        calls: The changed calls.
        factor: What results are multiplied by, or what is added to them, if that is the change.
    """

    option: OperationEdit
    calls: tuple[OpCall, ...]
    factor: float = 1.0


class EditedBackwardMode(DispatchMode):
    """Mode in which some calls of custom backwards run with a change.

    Args:
        edits: The changes; none if only the calls are of interest.
        values: Further values that the changes may use, by name.

    Attributes:
        calls: The calls that can be changed, in order; empty if a change was given.
        operations: Names of all operations in custom backwards; empty if a change was given.
        saved: Saved tensors by name, None if several have this name; empty if a change was given.
    """

    def __init__(
        self, edits: Sequence[BackwardEdit] = (), values: Mapping[str, Tensor] | None = None
    ) -> None:
        super().__init__()
        self.calls: list[OpCall] = []
        self.operations: set[str] = set()
        self.saved: dict[str, Tensor | None] = {}
        self._edits = {call.number: edit for edit in edits for call in edit.calls}
        self._used = {edit.option.name for edit in edits}
        self._values = dict(values or {})
        self._count = 0

    @calls_user_code
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Intercept every operation."""
        named: Mapping[str, Any] = kwargs or {}
        node: Any = current_node()
        # Torch's own nodes make no mistakes; only those of custom Functions are searched.
        if not isinstance(node, BackwardNode):
            return func(*args, **named)
        self._count += 1
        edit = self._edits.get(self._count)
        if edit is not None:
            values = dict(self._values)
            if edit.option.name.startswith("@"):
                values |= dict(_saved(node))
            return EditedCall(edit.option, edit.factor, values, func, args, named).run()
        result = func(*args, **named)
        if f"#{self._count}" in self._used:
            self._values[f"#{self._count}"] = result.clone()
        if not self._edits:
            self._note(func, args, named, result, node)
        return result

    def _note(
        self, func: Any, args: Any, named: Mapping[str, Any], result: Any, node: object
    ) -> None:
        full: str = func.overloadpacket.__name__
        name = full.strip("_")
        self.operations.add(name)
        edits = tuple(offered_edits(func, args, named, result))
        line = find_calling_line() if edits else None
        if line is None:
            return
        is_value = any(
            each.kind == "scale" for each in edits
        ) and not func.overloadpacket.__name__.endswith("_")
        saved = tuple((key, tuple(each.shape)) for key, each in _saved(node)) if is_value else ()
        shape = tuple(result.shape) if is_value else None
        is_reduction = any(each.kind == "dimension" for each in edits)
        reduced = reduced_dims(args) if is_reduction else ()
        operands = tuple(
            tuple(each.shape) if isinstance(each, Tensor) else None for each in args[:2]
        )
        frame = find_calling_frame()
        written = "" if frame is None else expression_at(frame, name, len(args)).call
        call = OpCall(self._count, name, line, edits, shape, saved, reduced, operands, written)
        self.calls.append(call)
        for key, value in _saved(node) if is_value else ():
            # Several Functions may have saved tensors of the same number.
            other = self.saved.setdefault(key, value)
            if other is not None and not is_same_memory(other, value):
                self.saved[key] = None


def _saved(node: Any) -> Iterator[tuple[str, Tensor]]:
    """Tensors of real or complex numbers that a Function has saved, by name."""
    for k, each in enumerate(node.saved_tensors):
        if isinstance(each, Tensor) and (each.is_floating_point() or each.is_complex()):
            yield f"@{k}", each.detach()


def is_same_memory(one: Tensor, other: Tensor) -> bool:
    """Whether two tensors of equal shape begin at the same address."""
    return one.shape == other.shape and one.data_ptr() == other.data_ptr()
