"""Names of a call's arguments, read from the source."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import torch
from msgspec import Struct
from msgspec.structs import replace

from gradviz.model.source import Location
from gradviz.recorder import compat
from gradviz.recorder.frame_variables import value_of, variable_of
from gradviz.recorder.safe_text import printable_text
from gradviz.recorder.source_expressions import MEMBER, MOST_NAME, SourceExpression, expression_at
from gradviz.recorder.sources import (
    SourceRecorder,
    caller,
    calls_directly,
    current_frame,
    find_caller,
    is_call_by_gradviz,
    is_hidden,
    is_recorder,
)

_FILE = str(Path(torch.__file__).parent / "utils" / "checkpoint.py")
_MODULE_FILE = str(Path(torch.__file__).parent / "nn" / "modules" / "module.py")
_AGAIN = frozenset(("backward", "unpack_hook"))
"""Checkpoint functions that rerun a forward: with ``use_reentrant``, and without."""


def is_rerun(frame: FrameType | None) -> bool:
    """Whether a line runs because a checkpoint recomputes what it has discarded.

    Args:
        frame: A frame of the run.
    """
    # A checkpoint recomputes in a backward pass only; this saves a walk up the stack otherwise.
    if compat.current_pass() < 0:
        return False
    while frame is not None:
        code = frame.f_code
        if code.co_filename == _FILE and code.co_name in _AGAIN:
            return True
        frame = frame.f_back
    return False


class CallSite(Struct):
    """A call in the source.

    Attributes:
        names: Names of the positional arguments, as returned by `names_at`.
        targets: Names that its result is assigned to.
        location: The line; None if unknown.
        rerun: Whether a checkpoint runs it again.
        inputs: Names of the recorded arguments, if all are positional and none is a list; None if
            they depend on the arguments.
        code: The calling code.
    """

    names: tuple[str, ...]
    targets: tuple[str, ...]
    location: Location | None
    rerun: bool = False
    inputs: tuple[str, ...] | None = None
    code: CodeType | None = None


class CallSiteFinder:
    """Finds the call that is being recorded, and reads each position in the source only once.

    Call with the log's lock held.
    """

    def __init__(self, sources: SourceRecorder) -> None:
        self._sources = sources
        self._known: dict[tuple[Any, ...], CallSite] = {}
        self._adopted = 0

    def find(self, function: Any, args: tuple[Any, ...]) -> CallSite:
        """The call of a torch function from which the recorder was called."""
        frame, is_direct = find_caller(function)
        if frame is None:
            return CallSite((), (), None)
        if self._adopted != len(self._sources.own) or len(self._known) > _MOST_SITES:
            # The locations in a file that was a library's have changed.
            self._known.clear()
            self._adopted = len(self._sources.own)
        # By `id`, because the hash of a code object depends on its whole content.
        key: tuple[Any, ...]
        key = (id(frame.f_code), frame.f_lasti, function, is_direct, len(args))
        if is_direct and _is_either_way(function, args):
            # Which of them is the tensor may change from one call to the next.
            key = (*key, _names_in(function, frame, args))
        site = self._known.get(key)
        if site is None:
            site = self._known[key] = self._read(function, args, frame, is_direct=is_direct)
        if is_rerun(frame):
            return replace(site, rerun=True)
        return site

    def _read(
        self, function: Any, args: tuple[Any, ...], frame: FrameType, *, is_direct: bool
    ) -> CallSite:
        names, targets = _names_in(function, frame, args) if is_direct else ((), ())
        inputs = None
        if not any(MEMBER in name for name in names):
            inputs = _plain_names(names, parameter_names(function, len(args)), len(args))
        site = CallSite(names, targets, self._sources.at(frame), inputs=inputs)
        # Otherwise another code object could get its `id`.
        site.code = frame.f_code
        return site

    def arguments(
        self, site: CallSite, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> list[tuple[str, Any]]:
        """Names and values of the arguments of a call, as `argument_names` returns them."""
        if site.inputs is None or kwargs or any(isinstance(each, _LISTS) for each in args):
            return argument_names(args, kwargs, site.names, parameter_names(function, len(args)))
        return list(zip(site.inputs, args, strict=True))


_MOST_SITES = 10_000
_LISTS = (list, tuple)


def find_call_site(sources: SourceRecorder, function: Any, args: tuple[Any, ...]) -> CallSite:
    """Find a call without a `CallSiteFinder`. Call with the log's lock held."""
    frame = caller()
    names, targets = names_at(function, frame, args)
    return CallSite(names, targets, sources.at(frame), is_rerun(frame))


AssignedNames = tuple[tuple[str, ...], tuple[str, ...]]
"""Names of the positional arguments, empty if not plain, and of the assignment targets."""

COMPARISONS = frozenset({"lt", "le", "gt", "ge", "eq", "ne"})
_EITHER_WAY = frozenset({"add", "mul"})
"""Functions that torch calls alike for ``x * k`` and ``k * x`` if k is not a tensor."""
_CONTAINERS = (list, tuple, dict, set, str)


def names_at(function: Any, frame: FrameType | None, args: tuple[Any, ...] = ()) -> AssignedNames:
    """Names in the expression with which a frame calls a torch function.

    Args:
        function: The function that is called.
        frame: The calling frame.
        args: The positional arguments; the names are in their order.

    Returns:
        Names of the arguments, as many as there are, and of the assignment targets; both empty if
        unknown.
    """
    if frame is None or not calls_directly(function, frame):
        return (), ()
    return _names_in(function, frame, args)


def _names_in(function: Any, frame: FrameType, args: tuple[Any, ...]) -> AssignedNames:
    found = expression_at(frame.f_code, frame.f_lasti)
    if found.form != "call":
        return _names_of_operands(found, function, args, frame), found.targets
    name = str(getattr(function, "__name__", "")).strip("_").removesuffix(".default")
    # ``torch.linalg.norm`` is called ``linalg_norm``.
    if found.callee.strip("_") == name or (found.receiver and name.endswith(f"_{found.callee}")):
        return _names_in_call(found, function, args, frame.f_globals), found.targets
    # The source may be calling another function, which calls this one: `zip(a, b)` calls `unbind`,
    # and `functools.reduce(torch.add, parts)` calls `add`, with other arguments.
    path = found.callee if found.receiver is None else f"{found.receiver}.{found.callee}"
    called = value_of(path, frame.f_globals)
    if called is None:
        return (), found.targets
    if called is not function:
        return (), ()
    return _names_in_call(found, function, args, frame.f_globals), found.targets


def _names_in_call(
    found: SourceExpression, function: Any, args: tuple[Any, ...], known: dict[str, Any]
) -> tuple[str, ...]:
    """Names of the arguments of a function that the source calls."""
    names, receiver = found.names, () if found.receiver is None else (found.receiver,)
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
    if found.form != "operator" or not names or not _is_either_way(function, args):
        return names
    # The source alone does not tell which of the two is the tensor.
    values = [variable_of(frame, name) for name in names]
    if values[0] is args[0] or values[1] is args[1]:
        return names
    if values[0] is args[1] or values[1] is args[0]:
        return names[::-1]
    return ("", "")


def _is_either_way(function: Any, args: tuple[Any, ...]) -> bool:
    """Whether torch calls the function alike for ``x * k`` and ``k * x``."""
    if len(args) != 2:
        return False
    name = getattr(function, "__name__", "")
    # Python asks a `Parameter` on the right first, if it is compared with a plain tensor.
    return name in (COMPARISONS if isinstance(args[1], torch.Tensor) else _EITHER_WAY)


def called_variable(module: torch.nn.Module) -> tuple[str, bool]:
    """What the user's code calls, without ``self``; empty unless it must be the module.

    Returns:
        Its name, and whether it is a variable outside of functions.
    """
    found, known = _called_by_user(module)
    path = found.callee if found.receiver is None else f"{found.receiver}.{found.callee}"
    name = printable_text(path.removeprefix("self."))
    if found.callee == "self" or found.receiver == "" or len(name) > MOST_NAME:
        return "", False
    return name, known is module


def names_passed_to(module: torch.nn.Module, count: int) -> tuple[str, ...]:
    """Names of the positional arguments with which the user's code calls a module.

    Args:
        module: The module.
        count: Number of the arguments; the names are as many.
    """
    names = _called_by_user(module)[0].names
    if len(names) != count:
        return ("",) * count
    return tuple(["" if MEMBER in name else name for name in names])


def running_module() -> torch.nn.Module | None:
    """The module of torch whose method the user's innermost line calls; None if it is no method."""
    frame: FrameType | None = current_frame(1)
    found = None
    while frame is not None and is_hidden(frame.f_code.co_filename):
        owner = None if is_recorder(frame.f_code.co_filename) else variable_of(frame, "self")
        found = owner if issubclass(type(owner), torch.nn.Module) else found
        frame = frame.f_back
    return found


def _called_by_user(module: torch.nn.Module) -> tuple[SourceExpression, Any]:
    """The user's call of a module that is about to run, and the global value that it calls."""
    frame: FrameType | None = current_frame(1)
    while frame is not None and is_hidden(path := frame.f_code.co_filename):
        # Something else in torch may call it, such as `functional_call`.
        if not is_recorder(path) and path != _MODULE_FILE:
            return SourceExpression(""), None
        frame = frame.f_back
    if frame is None or is_call_by_gradviz(frame.f_code.co_filename):
        return SourceExpression(""), None
    found = expression_at(frame.f_code, frame.f_lasti)
    if found.receiver is not None and any(hasattr(each, found.callee) for each in _CONTAINERS):
        # Such as `results.extend(map(model, parts))`.
        return SourceExpression(""), None
    path = found.callee if found.receiver is None else f"{found.receiver}.{found.callee}"
    known = value_of(path, frame.f_globals)
    if found.form != "call" or not (known is None or known is module):
        return SourceExpression(""), None
    return found, known


@functools.lru_cache(maxsize=4096)
def parameter_names(function: Any, count: int) -> tuple[str, ...]:
    """Names of the first parameters of a torch function, empty where its overloads differ.

    Args:
        function: A torch function, with a Python signature or with the name of an aten op.
        count: Number of positional arguments.
    """
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


def _signature_names(function: Any) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [each.name for each in parameters if each.kind == each.POSITIONAL_OR_KEYWORD]


def argument_names(
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    names: tuple[str, ...],
    parameters: tuple[str, ...] = (),
) -> list[tuple[str, Any]]:
    """Names and values of a torch call's arguments.

    Args:
        args: Positional arguments; for a method, the receiver comes first.
        kwargs: Keyword arguments.
        names: Names of the positional arguments in the source; empty if unknown.
        parameters: Names for positional arguments that the source leaves without one.

    Returns:
        Pairs of name and value. Tensors in lists are listed one by one. Values without any name
        are called ``input``.
    """
    if kwargs or any(isinstance(each, (list, tuple)) for each in args):
        return _argument_names(args, kwargs, names, parameters)
    if any(MEMBER in name for name in names):
        return _argument_names(args, kwargs, names, parameters)
    return list(zip(_plain_names(names, parameters, len(args)), args, strict=True))


@functools.lru_cache(maxsize=10_000)
def _plain_names(
    names: tuple[str, ...], parameters: tuple[str, ...], count: int
) -> tuple[str, ...]:
    """Names of positional arguments that are no lists."""
    return tuple([name for name, _ in _argument_names((None,) * count, {}, names, parameters)])


def _argument_names(
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    names: tuple[str, ...],
    parameters: tuple[str, ...],
) -> list[tuple[str, Any]]:
    written = names or ("",) * len(args)
    members = tuple(map(_members_of, written, args))
    known = tuple("" if MEMBER in name else name for name in written)
    alone = len(args) == 1 and not kwargs and not isinstance(args[0], list | tuple)
    if len(parameters) == len(args) and not alone:
        free = (name if name not in known and name not in kwargs else "" for name in parameters)
        known = tuple(name or parameter for name, parameter in zip(known, free, strict=True))
    found: list[tuple[str, Any]] = []
    for name, value, own in zip(known, args, members, strict=True):
        flat = _flat(name, value)
        given = own or ("",) * len(flat)
        found += [(new or old, each) for new, (old, each) in zip(given, flat, strict=True)]
    for name, value in kwargs.items():
        found += _flat(name, value)
    unnamed = [position for position, (name, _) in enumerate(found) if not name]
    many = len(found) > 1
    for position in unnamed:
        found[position] = (f"input {position}" if many else "input", found[position][1])
    return found


def _members_of(name: str, value: Any) -> tuple[str, ...]:
    """Names of the members of a list of tensors that stands in the source; empty for no list."""
    if not name.startswith(MEMBER) or not isinstance(value, list | tuple):
        return ()
    names = name.split(MEMBER)[1:]
    if len(names) != len(value) or not any(isinstance(each, torch.Tensor) for each in value):
        return ()
    return tuple(names)


def is_written(name: str, names: Iterable[str]) -> bool:
    """Whether a name is that of an argument in the source, or of a member of such a list."""
    variable = name.rpartition("[")[0] or name
    return any(each in (name, variable) or name in each.split(MEMBER)[1:] for each in names)


def _flat(name: str, value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, list | tuple) and any(isinstance(v, torch.Tensor) for v in value):
        return [(f"{name}[{i}]" if name else "", member) for i, member in enumerate(value)]
    return [(name, value)]
