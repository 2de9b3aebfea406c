"""Exceptions that reach a thread from outside, wherever it happens to be."""

from __future__ import annotations

import functools
import opcode
import signal
from collections.abc import Callable
from types import CodeType, FunctionType, MethodType
from typing import Any, ParamSpec, TypeVar, cast

from gradviz.recorder.patching.signals import HANDLERS
from gradviz.recorder.user_traceback import entries_of, traceback_of

_args: Any = vars(BaseException)["args"]
_BETWEEN = {opcode.opmap[name] for name in ("RESUME", "JUMP_BACKWARD")}
"""Instructions that raise nothing themselves."""

_CALLS = {
    code
    for name, code in opcode.opmap.items()
    if name in ("PRECALL", "CALL", "CALL_KW", "CALL_FUNCTION_EX")
    # These are jumps only up to Python 3.11.
    or name.startswith("POP_JUMP_BACKWARD")
}
"""Instructions after which Python raises such an exception, but that may raise themselves."""

_FROM_C = (StopIteration, MemoryError)
"""What functions in C raise without arguments."""


_completing: dict[int, tuple[CodeType, str]] = {}
P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., None])


def completed_by(name: str) -> Callable[[F], F]:
    """Let `complete_interrupted` call a method of the same object, without arguments.

    For methods that enter a state of torch or Python, or leave it. An exception from outside may
    come before their first instruction, or after their last call, where no ``finally`` can help.

    Args:
        name: The method that leaves the state, and does nothing when it is called again.
    """

    def register(method: F) -> F:
        code: CodeType = cast("Any", method).__code__
        _completing[id(code)] = code, name
        return method

    return register


def complete_interrupted(error: BaseException) -> None:
    """Leave the states that methods were entering or leaving when an exception ended them."""
    for entry in entries_of(traceback_of(error)):
        frame = entry.tb_frame
        if id(frame.f_code) in _completing:
            method: Callable[[], None] = getattr(
                frame.f_locals["self"], _completing[id(frame.f_code)][1]
            )
            method()


def completes_interrupted(function: Callable[P, R]) -> Callable[P, R]:
    """Call `complete_interrupted` with what a function raises."""

    @functools.wraps(function)
    def completing(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            complete_interrupted(error)
            raise

    return completing


def is_asynchronous(error: BaseException) -> bool:
    """Whether a signal handler, or another thread, has raised an exception in this thread.

    A thread does that with ``PyThreadState_SetAsyncExc``: the exception gets no arguments, and no
    instruction of its innermost frame has raised it.
    """
    handlers = {id(code) for number in signal.valid_signals() if (code := _handler_code(number))}
    entries = entries_of(traceback_of(error))
    if handlers.intersection([id(each.tb_frame.f_code) for each in entries]):
        return True
    if not entries or entries[-1].tb_lasti < 0 or _args.__get__(error):
        return False
    innermost = entries[-1]
    instruction = innermost.tb_frame.f_code.co_code[innermost.tb_lasti]
    return instruction in _BETWEEN or (
        instruction in _CALLS and not issubclass(type(error), _FROM_C)
    )


def _handler_code(number: int) -> CodeType | None:
    """The code of the run's handler of a signal; None if it is not written in Python."""
    handler = HANDLERS.getsignal(number)
    while type(handler) is functools.partial:
        handler = handler.func
    if type(handler) is MethodType:
        handler = handler.__func__
    elif type(handler) is not FunctionType:
        handler = vars(type(handler)).get("__call__")
    return handler.__code__ if isinstance(handler, FunctionType) else None
