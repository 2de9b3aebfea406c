"""Recording of values that leave torch inside a user's method, or return to it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

import numpy as np

from gradviz.recorder.error_boundary import within_error_boundary
from gradviz.recorder.inside.op_recorder import OpenOp, OpRecorder
from gradviz.recorder.inside.op_schema import Named, flat
from gradviz.recorder.log import RecordLog
from gradviz.recorder.patching.signals import calls_user_code, ends_recorder_code
from gradviz.recorder.safe_text import printable_text
from gradviz.recorder.tensors.tensor_compat import is_data_access
from gradviz.recorder.torch_functions import torch_function

_OF_TENSORS = frozenset(
    (
        *("numpy", "tolist", "item", "data_ptr", "storage", "untyped_storage"),
        *("__array__", "__array_wrap__", "__dlpack__"),
        *("__bool__", "__complex__", "__float__", "__index__", "__int__"),
    )
)
"""Methods of ``torch.Tensor`` that are always unseen by autograd."""

_MAKERS = frozenset(("tensor", "as_tensor", "asarray", "new_tensor"))
"""Functions that are unseen if they receive an array; other constants have no source."""

PATCHED = ("from_numpy", "from_dlpack", "frombuffer")
"""Functions of ``torch`` that torch-function modes do not see."""

OriginalConversion = Callable[..., Any]


class PythonConversionRecorder:
    """Recorder of unseen calls among the ops of a stage."""

    def __init__(self, log: RecordLog, ops: OpRecorder) -> None:
        self.error_boundary = log
        self._ops = ops

    @calls_user_code
    def call(
        self, function: OriginalConversion, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Call a torch function, and record it if it is unseen."""
        name = name_of(function, args)
        return function(*args, **kwargs) if not name else self._call(name, function, args, kwargs)

    def patch(self, original: OriginalConversion) -> OriginalConversion:
        """Wrap one of the functions in `PATCHED`."""
        name = f"torch.{original.__name__}"

        @ends_recorder_code
        @functools.wraps(original)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return self._call(name, original, args, kwargs)

        return wrapper

    @calls_user_code
    def _call(
        self, name: str, function: OriginalConversion, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        op = self._begin(name, args, kwargs)
        started = perf_counter_ns()
        result = function(*args, **kwargs)
        if op is not None:
            self._end(op, result, started, perf_counter_ns())
        return result

    @within_error_boundary
    def _begin(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> OpenOp | None:
        place = self._ops.place()
        if place is None or not place[0].runs_user_code:
            return None
        if [each for each in place[0].ops[-2:] if not (each.seen or each.finished)]:
            # The call comes from inside an unseen op that has not returned.
            return None
        # `x.data = y` writes to x.
        writes = (0,) if name == "Tensor.data" and len(args) > 1 else ()
        return self._ops.begin(place, name, "", _given(name, args, kwargs), writes, seen=False)

    @within_error_boundary
    def _end(self, op: OpenOp, result: Any, started: int, stopped: int) -> None:
        made = [] if result is None else flat("output", result)
        self._ops.end(op, made, started, stopped)


def name_of(function: Any, args: tuple[Any, ...]) -> str:
    """Public name of a torch function if it is unseen; otherwise empty."""
    name: str = getattr(torch_function(function).function, "__name__", "")
    if name in _OF_TENSORS:
        return f"Tensor.{name}"
    if is_data_access(function):
        return "Tensor.data"
    if name in _MAKERS and any(map(_is_array, args)):
        return f"Tensor.{name}" if name == "new_tensor" else f"torch.{name}"
    return ""


def _is_array(value: Any) -> bool:
    members = value if isinstance(value, list | tuple) else [value]
    return any(map(_is_of_numpy, members))


def _is_of_numpy(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic)


def _given(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Named]:
    first = "self" if name.startswith("Tensor.") else "data"
    given: list[Named] = []
    for at, value in enumerate(args):
        label = f"input {at}" if at else first
        if not (value is None or isinstance(value, type)):
            given += flat(label, value)
    for key, value in kwargs.items():
        given += flat(printable_text(key), value)
    return given
