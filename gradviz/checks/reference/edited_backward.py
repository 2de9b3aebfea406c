"""Execution of a custom backward with one or two of its operations changed.

If the gradients are right with the change, and only then, the mistake is at this operation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from torch import Tensor

from gradviz.checks.reference.calling_source import (
    CallExpression,
    CallingLine,
    expression_at,
    find_calling_frame,
    line_of,
)
from gradviz.checks.reference.operation_edits import (
    EditedCall,
    OperationEdit,
    offered_edits,
    reduced_dims,
)
from gradviz.recorder.compat import BackwardNode, DispatchMode, current_node
from gradviz.recorder.patching.signals import calls_user_code


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
        source: What the source writes there.
    """

    number: int
    name: str
    line: CallingLine
    edits: tuple[OperationEdit, ...]
    shape: tuple[int, ...] | None = None
    saved: tuple[tuple[str, tuple[int, ...]], ...] = ()
    reduced: tuple[int, ...] = ()
    operands: tuple[tuple[int, ...] | None, ...] = ()
    source: CallExpression = CallExpression()


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
        frame = find_calling_frame() if edits else None
        if frame is None:
            return
        source = expression_at(frame, name, args)
        if source.is_part and name == "reciprocal":
            return  # What is wrong in `2 / x` is also found in the product that follows.
        if source.is_reflected is None:
            edits = tuple(each for each in edits if not each.kind.endswith(("first", "second")))
        is_value = any(
            each.kind == "scale" for each in edits
        ) and not func.overloadpacket.__name__.endswith("_")
        saved = tuple((key, tuple(each.shape)) for key, each in _saved(node)) if is_value else ()
        shape = tuple(result.shape) if is_value else None
        is_reduction = any(each.kind == "dimension" for each in edits)
        reduced = reduced_dims(args) if is_reduction else ()
        is_known = not (source.is_part or source.is_reflected is None)
        operands = tuple(
            tuple(each.shape) if isinstance(each, Tensor) else None
            for each in (args[:2] if is_known else ())
        )
        line = line_of(frame)
        call = OpCall(self._count, name, line, edits, shape, saved, reduced, operands, source)
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
