"""Names of a call's arguments, read from the source."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any

import torch
from msgspec import Struct, field

from gradviz.model.source import Location
from gradviz.recorder import compat
from gradviz.recorder.frame_variables import value_of, variable_of
from gradviz.recorder.source_expressions import MEMBER, SourceExpression, expression_at
from gradviz.recorder.sources import (
    SourceRecorder,
    caller,
    find_caller,
    outward,
)
from gradviz.recorder.torch_functions import torch_function

_FILE = str(Path(torch.__file__).parent / "utils" / "checkpoint.py")
_AGAIN = frozenset(("backward", "unpack_hook"))
"""Checkpoint functions that rerun a forward: with ``use_reentrant``, and without."""


def is_rerun(frame: FrameType | None) -> bool:
    """Whether a line runs because a checkpoint recomputes what it has discarded."""
    # A checkpoint recomputes in a backward pass only; this saves a walk up the stack otherwise.
    if compat.current_pass() < 0:
        return False
    codes = (each.f_code for each in outward(frame))
    return any(code.co_filename == _FILE and code.co_name in _AGAIN for code in codes)


def is_in_cut_checkpoint(frame: FrameType | None) -> bool:
    """Whether a line runs in a reentrant checkpoint none of whose inputs requires a gradient."""
    for each in outward(frame):
        code = each.f_code
        if code.co_filename == _FILE and code.co_name == "forward":
            given = each.f_locals.get("args", ())
            return not any(isinstance(one, torch.Tensor) and one.requires_grad for one in given)
    return False


class WrittenNames(Struct, frozen=True):
    """Names in the expression with which the source calls a function, empty where unknown.

    Attributes:
        arguments: Those of the positional arguments, as many as there are, or none.
        targets: What the result is assigned to.
        keywords: Keyword and name of each other argument.
    """

    arguments: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    keywords: tuple[tuple[str, str], ...] = ()


class CallSite(Struct):
    """A call in the source.

    Attributes:
        written: Names of its arguments and of what its result is assigned to.
        location: The line; None if unknown.
        rerun: Whether a checkpoint runs it again.
        held: What its key holds by `id`: another object could get the same one.
        names: Names of all arguments; None if they depend on the members of lists.
        known: What `includes` has returned, by name.
        depends: Whether the names of its arguments depend on the values of the operands.
    """

    written: WrittenNames
    location: Location | None
    rerun: bool = False
    held: tuple[Any, ...] = ()
    names: tuple[str, ...] | None = None
    known: dict[str, bool] = field(default_factory=dict)
    depends: bool = False

    @property
    def is_known(self) -> bool:
        """Whether the source names any argument, so that it makes the call itself."""
        return bool(self.written.arguments or self.written.keywords)

    def includes(self, name: str) -> bool:
        """Whether a name is that of an argument in the source, or of a member of a list there."""
        found = self.known.get(name)
        if found is None:
            variable = name.rpartition("[")[0] or name
            names = (*self.written.arguments, *(each for _, each in self.written.keywords))
            found = self.known[name] = any(
                each in (name, variable) or name in each.split(MEMBER)[1:] for each in names
            )
        return found


_LISTS = (list, tuple)


def find_call_site(sources: SourceRecorder, function: Any, args: tuple[Any, ...]) -> CallSite:
    """Find a call without a `CallSiteFinder`. Call with the log's lock held."""
    frame = caller()
    return CallSite(names_at(function, args), sources.at(frame), is_rerun(frame))


COMPARISONS = frozenset({"lt", "le", "gt", "ge", "eq", "ne"})
_COMMUTATIVE = frozenset({"add", "mul"})
"""Functions that torch calls in the same way for ``x * k`` and ``k * x`` if k is not a tensor."""


def names_at(function: Any, args: tuple[Any, ...] = ()) -> WrittenNames:
    """Names in the expression with which the user's code calls a torch function."""
    frame, is_direct = find_caller(function, None)
    return (
        read_written_names(function, frame, args)
        if frame is not None and is_direct
        else WrittenNames()
    )


def name_in_call(value: Any, frame: FrameType | None) -> str:
    """What the call that a frame makes names a value; empty if that is not its variable."""
    if frame is None:
        return ""
    found = expression_at(frame.f_code, frame.f_lasti)
    names = (found.receiver or "", *(part for each in found.names for part in each.split(MEMBER)))
    return next((each for each in names if each and variable_of(frame, each) is value), "")


def read_written_names(function: Any, frame: FrameType, args: tuple[Any, ...]) -> WrittenNames:
    """Names in the expression with which a frame calls a torch function."""
    found = expression_at(frame.f_code, frame.f_lasti)
    if found.form != "call":
        return WrittenNames(_names_of_operands(found, function, args, frame), found.targets)
    name = str(getattr(function, "__name__", "")).strip("_").removesuffix(".default")
    # ``torch.linalg.norm`` is called ``linalg_norm``.
    is_part = found.receiver and name.endswith(f"_{found.callee}")
    if not (is_part or found.callee.strip("_") == name):
        # The source may be calling another function, which calls this one: `zip(a, b)` calls
        # `unbind`, and `functools.reduce(torch.add, parts)` calls `add`, with other arguments.
        path = found.callee if found.receiver is None else f"{found.receiver}.{found.callee}"
        called = value_of(path, frame.f_globals)
        if called is not function:
            return WrittenNames(targets=found.targets if called is None else ())
    names = _names_in_call(found, function, args, frame.f_globals)
    return WrittenNames(names, found.targets, found.keywords)


def _names_in_call(
    found: SourceExpression, function: Any, args: tuple[Any, ...], known: dict[str, Any]
) -> tuple[str, ...]:
    """Names of the arguments of a function that the source calls."""
    names, receiver = found.names, () if found.receiver is None else (found.receiver,)
    if any(each.startswith("*") for each in names):
        return ()
    if not isinstance(function, FunctionType) or function.__code__.co_flags & inspect.CO_VARARGS:
        # A function in C gets what stands in the source: the receiver is an argument or is not.
        names = names if len(names) == len(args) else (*receiver, *names)
        return names if len(names) == len(args) else ()
    # One in Python passes some of its parameters on by name, but keeps the order of the others.
    if getattr(torch.Tensor, function.__name__, None) is function and not (
        receiver and isinstance(value_of(receiver[0], known), type)
    ):
        names = (*receiver, *names)
    return (*names, *[""] * len(args))[: len(args)]


def _names_of_operands(
    found: SourceExpression, function: Any, args: tuple[Any, ...], frame: FrameType
) -> tuple[str, ...]:
    """Names in argument order: in ``2 - x``, Python passes the right operand first."""
    called = getattr(function, "__name__", "")
    # A subscript is read without a value.
    known = found.names[: len(args)] if found.form == "subscript" else found.names
    names = known if len(known) == len(args) else ()
    if found.form == "reflected" or (found.form == "operator" and called.startswith("__r")):
        return names[::-1]
    if found.form != "operator" or not names or not hides_operand_order(function, args):
        return names
    # The source alone does not tell which of the two is the tensor.
    values = [variable_of(frame, name) for name in names]
    if values[0] is args[0] or values[1] is args[1]:
        return names
    if values[0] is args[1] or values[1] is args[0]:
        return names[::-1]
    return ("", "")


def hides_operand_order(function: Any, args: tuple[Any, ...]) -> bool:
    """Whether torch calls a function in the same way for ``x * k`` and ``k * x``."""
    if len(args) != 2:
        return False
    name = getattr(function, "__name__", "")
    # Python asks a `Parameter` on the right first, if it is compared with a plain tensor.
    return name in (COMPARISONS if isinstance(args[1], torch.Tensor) else _COMMUTATIVE)


def parameter_names(function: Any, count: int) -> tuple[str, ...]:
    """Names of the first ``count`` parameters of a torch function, empty where overloads differ."""
    read = _read_once if torch_function(function).permanent else _read_parameters
    return read(function, count)


def _read_parameters(function: Any, count: int) -> tuple[str, ...]:
    overloads = [_signature_names(function)]
    if isinstance(function, compat.LIBRARY_OPS) or len(overloads[0]) < count:
        schemas = (
            compat.schemas_of_library_op(function)
            if isinstance(function, compat.LIBRARY_OPS)
            else compat.schemas_of_name(getattr(function, "__name__", ""))
        )
        overloads = [
            [each.name for each in schema.arguments if not each.kwarg_only] for schema in schemas
        ]
    fitting = [names[:count] for names in overloads if len(names) >= count]
    if not fitting:
        return ()
    agreed = [set(names) for names in zip(*fitting, strict=True)]
    # Torch documents the receiver of a method as the input of the function.
    found = [names.pop() if len(names) == 1 else "" for names in agreed]
    return tuple("input" if name == "self" else name for name in found)


_read_once = functools.lru_cache(maxsize=4096)(_read_parameters)


def _signature_names(function: Any) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [each.name for each in parameters if each.kind == each.POSITIONAL_OR_KEYWORD]


def argument_names(
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    written: WrittenNames,
    parameters: tuple[str, ...] = (),
) -> list[tuple[str, Any]]:
    """Names and values of a torch call's arguments, with tensors in lists one by one.

    Args:
        args: Positional arguments; for a method, the receiver comes first.
        kwargs: Keyword arguments.
        written: Names in the source.
        parameters: Names for positional arguments that the source leaves without one; a value
            without any name is called ``input``.
    """
    names = written.arguments or ("",) * len(args)
    known = tuple("" if MEMBER in name else name for name in names)
    alone = len(args) == 1 and not kwargs and not isinstance(args[0], list | tuple)
    if len(parameters) == len(args) and not alone:
        free = (name if name not in known and name not in kwargs else "" for name in parameters)
        known = tuple(name or parameter for name, parameter in zip(known, free, strict=True))
    found: list[tuple[str, Any]] = []
    for name, value, own in zip(known, args, names, strict=True):
        found += _flat(name, value, own)
    keywords = dict(written.keywords)
    for name, value in kwargs.items():
        own = keywords.get(name, "")
        # A tensor is called as the user calls it, a setting as torch does.
        is_variable = own and MEMBER not in own and any(_tensors_of(value))
        found += _flat(own if is_variable else name, value, own)
    unnamed = [position for position, (name, _) in enumerate(found) if not name]
    many = len(found) > 1
    for position in unnamed:
        found[position] = (f"input {position}" if many else "input", found[position][1])
    return found


def names_of_members(name: str, value: Any) -> tuple[str, ...]:
    """Names of the members of a list of tensors that stands in the source; empty for no list."""
    if not name.startswith(MEMBER) or not isinstance(value, list | tuple):
        return ()
    names = name.split(MEMBER)[1:]
    if len(names) != len(value) or not any(isinstance(each, torch.Tensor) for each in value):
        return ()
    return tuple(names)


def _tensors_of(value: Any) -> Iterator[bool]:
    """Whether a value, or each of its members, is a tensor."""
    return (
        isinstance(each, torch.Tensor)
        for each in (value if isinstance(value, _LISTS) else (value,))
    )


def _flat(name: str, value: Any, written: str) -> list[tuple[str, Any]]:
    """Name and value of an argument, or of each member of a list of tensors."""
    if not isinstance(value, _LISTS) or not any(_tensors_of(value)):
        return [(name, value)]
    members = names_of_members(written, value) or ("",) * len(value)
    return [
        (own or (f"{name}[{at}]" if name else ""), each)
        for at, (own, each) in enumerate(zip(members, value, strict=True))
    ]
