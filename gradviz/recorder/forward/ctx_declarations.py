"""What forward or setup_context has left on ``ctx``, read as soon as the method returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Literal

import torch
from msgspec import Struct

from gradviz.model.graph import SavedRole
from gradviz.model.source import Location
from gradviz.recorder.compat import node_name
from gradviz.recorder.forward.lost_history import is_number
from gradviz.recorder.forward.nested_tensors import nested_tensors
from gradviz.recorder.safe_text import class_name, printable_text
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.tensor_elements import dtype_name


class SavedValueRoles:
    """The arguments and outputs of a call, to find saved values among them."""

    def __init__(self, arguments: Sequence[Any], outputs: Sequence[Any]) -> None:
        # They are kept, because the id of an unwrapped tensor is its own only as long as it lives.
        self._arguments = [_bare(each) for each in arguments]
        self._outputs = [_bare(each) for each in outputs]
        self._inputs_by_id = _first_places(map(id, self._arguments))
        self._outputs_by_id = _first_places(map(id, self._outputs))

    def role(self, value: Any) -> tuple[SavedRole, int | None]:
        """Role of a saved value, and the index of the argument or output it is."""
        if value is None:
            return "none", None
        bare = _bare(value)
        if (index := self._inputs_by_id.get(id(bare))) is not None:
            return "input", index
        if (index := self._outputs_by_id.get(id(bare))) is not None:
            return "output", index
        # Torch refuses to save anything but tensors, but only after this.
        address = _address(bare)
        if address is not None and (index := self._inputs_by_address.get(address)) is not None:
            return "view_of_input", index
        return "intermediate", None

    @cached_property
    def _inputs_by_address(self) -> dict[int | None, int]:
        return _first_places(map(_address, self._arguments))


def _first_places(keys: Iterable[int | None]) -> dict[int | None, int]:
    return {key: place for place, key in reversed(list(enumerate(keys)))}


def _bare(value: Any) -> Any:
    """The value; under vmap, what torch saves, which is inside its wrapper."""
    return tensor_compat.unwrap(value) if isinstance(value, torch.Tensor) else value


def _address(bare: Any) -> int | None:
    """Address of the memory of a strided tensor; None for anything else."""
    is_strided = isinstance(bare, torch.Tensor) and bare.layout is torch.strided
    return tensor_compat.storage_address(bare) if is_strided else None


def share_storage(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two strided tensors are in the same memory."""
    address = _address(_bare(one))
    return address is not None and address == _address(_bare(other))


HolderKind = Literal["", "parameter", "computed"]
"""What an attribute holds: parameters of a module, tensors computed in the call, or others."""


class Intermediate(Struct, frozen=True):
    """A saved value with a derivative that is neither an input nor an output.

    Attributes:
        position: Its place among the saved values.
        name: Its name in the source; empty if unknown.
        argument: For a view of an input, the index of that argument.
    """

    position: int
    name: str
    argument: int | None


class CtxDeclarations(Struct, frozen=True):
    """What a call has declared on its ``ctx`` and returned, in numbers and texts.

    Attributes:
        dirty: Indices of the arguments marked dirty.
        non_differentiable: Indices of the outputs marked non-differentiable.
        unmarked: Index and dtype of each output that cannot have a gradient and is not marked.
        containers: Classes of outputs that are no tensors, but contain some that could have a
            gradient.
        returned: Indices of the arguments that require grad and are returned as they are.
        views: Indices of the arguments that require grad and of which another view is returned.
        holders: Name of each attribute that holds tensors, and what these are.
        intermediates: Saved values that a second derivative takes for constants.
        lowered: A dtype that only autocast can have brought in; empty if there is none, or if the
            call has prepared for autocast.
    """

    dirty: tuple[int, ...] = ()
    non_differentiable: tuple[int, ...] = ()
    unmarked: tuple[tuple[int, str], ...] = ()
    containers: tuple[str, ...] = ()
    returned: tuple[int, ...] = ()
    views: tuple[int, ...] = ()
    holders: tuple[tuple[str, HolderKind], ...] = ()
    intermediates: tuple[Intermediate, ...] = ()
    lowered: str = ""


class ArgumentWrite(Struct, frozen=True):
    """A write of ``forward`` to an argument.

    Attributes:
        argument: Index of the argument.
        location: The line that has written; None if unknown.
        requires_grad: Whether the argument requires grad in the end.
        history: Name of the node that it has in the end; empty if it has none, or if only torch
            could tell.
    """

    argument: int
    location: Location | None
    requires_grad: bool
    history: str


SavedValue = tuple[Any, tuple[SavedRole, int | None]]
"""A saved value with its role; see `SavedValueRoles.role`."""


class ReturnedCall(Struct, frozen=True):
    """What ``forward`` or ``setup_context`` has left behind.

    Attributes:
        ctx: The context.
        arguments: The arguments of ``forward``.
        outputs: What it has returned.
        saved: What it has given to ``save_for_backward``.
        names: The names of these in the source; empty if unknown.
    """

    ctx: Any
    arguments: tuple[Any, ...]
    outputs: tuple[Any, ...]
    saved: tuple[SavedValue, ...]
    names: tuple[str, ...]


def written_history(value: torch.Tensor) -> tuple[bool, str]:
    """Whether an argument that was written to requires grad, and the name of its node."""
    if not tensor_compat.requires_grad_of(value):
        return False, ""
    # Reading the ``grad_fn`` of a modified view makes torch regenerate it.
    node = None if tensor_compat.is_view(value) else tensor_compat.grad_fn_of(value)
    return True, "" if node is None else printable_text(node_name(node))


def read_saved(
    ctx: Any, arguments: tuple[Any, ...], outputs: tuple[Any, ...]
) -> tuple[SavedValue, ...]:
    """What a call has saved, which is on ``ctx`` only until the node is finished."""
    roles = SavedValueRoles(arguments, outputs)
    return tuple([(value, roles.role(value)) for value in _tuple(ctx.to_save)])


def free_attributes(ctx: Any) -> dict[str, Any]:
    """The attributes that the user has set on ``ctx``, by printable names."""
    free = {name: value for name, value in vars(ctx).items() if not name.startswith("__")}
    return {printable_text(name): value for name, value in free.items()}


IsConstant = Callable[[torch.Tensor, str], bool] | None


def read_declarations(
    call: ReturnedCall, is_constant: IsConstant, *, autocast: bool
) -> CtxDeclarations:
    """Read what a call has declared and returned.

    Args:
        call: The call.
        is_constant: Whether a saved value depends on none with a history; its name is given too.
            None if no value is known to.
        autocast: Whether the call was made under autocast.
    """
    ctx, outputs = call.ctx, call.outputs
    non_differentiable = marked_places(ctx.non_differentiable, outputs)
    tensors = [(at, each) for at, each in enumerate(outputs) if isinstance(each, torch.Tensor)]
    given = [
        (at, each)
        for at, each in enumerate(call.arguments)
        if isinstance(each, torch.Tensor) and tensor_compat.requires_grad_of(each)
    ]
    # The decorator custom_fwd leaves this on the context, by whatever name it was imported.
    is_prepared = not autocast or "_fwd_used_autocast" in vars(ctx)
    return CtxDeclarations(
        dirty=marked_places(ctx.dirty_tensors, call.arguments),
        non_differentiable=non_differentiable,
        unmarked=tuple(
            [
                (at, dtype_name(each.dtype))
                for at, each in tensors
                if not is_number(each) and at not in non_differentiable
            ]
        ),
        containers=tuple([class_name(type(each)) for each in outputs if _has_number(each)]),
        returned=tuple([at for _, output in tensors for at, each in given if output is each]),
        views=tuple(
            [at for _, output in tensors for at, each in given if _is_other_view(output, each)]
        ),
        holders=tuple(_holders(call)),
        intermediates=tuple(_intermediates(call, is_constant)),
        lowered="" if is_prepared else _lowered(call),
    )


def _holders(call: ReturnedCall) -> Iterator[tuple[str, HolderKind]]:
    attributes = free_attributes(call.ctx)
    if not attributes:
        return
    roles = SavedValueRoles(call.arguments, call.outputs)
    for name, value in attributes.items():
        tensors = nested_tensors(value)
        kind: HolderKind = ""
        if not [each for each in tensors if not isinstance(each, torch.nn.Parameter)]:
            kind = "parameter"
        elif {roles.role(each)[0] for each in tensors} == {"intermediate"}:
            kind = "computed"
        if tensors:
            yield name, kind


def _intermediates(call: ReturnedCall, is_constant: IsConstant) -> Iterator[Intermediate]:
    for position, (value, (role, index)) in enumerate(call.saved):
        if role not in ("intermediate", "view_of_input") or not isinstance(value, torch.Tensor):
            continue
        name = call.names[position] if call.names else ""
        argument = index if role == "view_of_input" else None
        needed = argument is None or tensor_compat.requires_grad_of(call.arguments[argument])
        is_known = is_constant is not None and is_constant(value, name)
        if needed and is_number(value) and not is_known:
            yield Intermediate(position, name, argument)


_LOW = (torch.float16, torch.bfloat16)


def _lowered(call: ReturnedCall) -> str:
    given = {each.dtype for value in call.arguments for each in nested_tensors(value)}
    for each in (*call.outputs, *[value for value, _ in call.saved]):
        if isinstance(each, torch.Tensor) and each.dtype in _LOW and each.dtype not in given:
            return dtype_name(each.dtype)
    return ""


def _is_other_view(output: torch.Tensor, value: torch.Tensor) -> bool:
    """Whether an output is a view of an input, and not meant to be one as in ``x.view_as(x)``."""
    return (
        output is not value
        and tensor_compat.is_view(output)
        and output.numel() > 0
        and share_storage(output, value)
        and (output.shape, output.stride()) != (value.shape, value.stride())
    )


def _has_number(value: Any) -> bool:
    """Whether a value is a container with a tensor that could have a gradient."""
    if type(value) not in (list, dict, set):
        return False
    members = value.values() if isinstance(value, dict) else value
    tensors = filter(torch.is_tensor, members)
    return any(map(is_number, map(tensor_compat.unwrap, tensors)))


def _tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else ()


def marked_places(marked: Any, among: tuple[Any, ...]) -> tuple[int, ...]:
    """Where the values that a call has marked on ``ctx`` are among others."""
    # `==` would compare elements.
    marks = {id(each) for each in _tuple(marked)}
    return tuple([i for i, each in enumerate(among) if id(each) in marks])
