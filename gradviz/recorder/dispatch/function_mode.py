"""Torch-function mode that records each torch call of the user that creates a node."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

import torch
from torch.overrides import TorchFunctionMode

from gradviz.recorder import compat
from gradviz.recorder.backward.tensor_hooks import TensorHookRecorder
from gradviz.recorder.dispatch.open_override_call import OpenOverrideCall
from gradviz.recorder.forward.forward_steps import ForwardStepRecorder
from gradviz.recorder.inside.op_dispatch_mode import OpDispatchMode
from gradviz.recorder.inside.open_stage import OpenStage
from gradviz.recorder.inside.python_conversions import PythonConversionRecorder
from gradviz.recorder.log import RecordLog

_OPERATORS = frozenset(
    f"__i{name}__"
    for name in (
        *("add", "sub", "mul", "truediv", "floordiv", "div", "mod", "pow", "matmul"),
        *("and", "or", "xor", "lshift", "rshift"),
    )
)
_SWITCHED = frozenset(
    (
        *("alpha_dropout", "celu", "dropout", "dropout1d", "dropout2d", "dropout3d", "elu"),
        *("feature_alpha_dropout", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "mish"),
        *("relu", "relu6", "rrelu", "selu", "silu", "threshold"),
    )
)
"""Functions with an ``inplace`` argument."""

_RUNNING = frozenset(("batch_norm", "instance_norm"))
"""Functions that update running statistics."""


def may_write(function: Callable[..., Any]) -> bool:
    """Whether a function may write to an argument, judging by its name."""
    name: str = getattr(function, "__name__", "")
    if name.endswith("_"):
        return not name.endswith("__") or name == "__setitem__" or name in _OPERATORS
    return name in _SWITCHED or name in _RUNNING


_NOTHING = contextlib.nullcontext()
_HOOKING = (torch.Tensor.register_hook, torch.Tensor.retain_grad)
_BACKWARD = frozenset(("backward", "grad"))


class OverrideDispatcher(Protocol):
    """Caller of functions that types override, see `gradviz.recorder.dispatch.override_patches`."""

    def call(
        self,
        function: Callable[..., Any],
        kinds: tuple[type, ...],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Call a function that asks types for its answer, and record who answers."""

    def again(self, function: Callable[..., Any]) -> OpenOverrideCall | None:
        """The overridden call that torch itself answers with this call, if any."""


def has_torch_function_override(kinds: Iterable[type]) -> bool:
    """Whether torch is about to ask types and at least one of them overrides functions."""
    # Every call of a layer passes parameters.
    types = [kind for kind in kinds if kind is not torch.nn.Parameter]
    return any(compat.protocol_owner(kind) is not None for kind in types) and compat.asks_types()


def starts_backward(function: Callable[..., Any]) -> bool:
    """Whether a function starts a backward pass."""
    return getattr(function, "__name__", "") in _BACKWARD


class FunctionMode(TorchFunctionMode):
    """The torch-function mode of a recording.

    Torch disables the mode while ``__torch_function__`` runs, so calls that a torch function makes
    internally are not steps. Calls that a user's type makes to answer are.

    Attributes:
        protocols: Caller of functions that types override; None until it is set.
        hooks: Recorder of tensor hooks; None until it is set.
    """

    def __init__(
        self,
        log: RecordLog,
        steps: ForwardStepRecorder,
        ops: OpDispatchMode | None,
        unseen: PythonConversionRecorder | None,
    ) -> None:
        super().__init__()
        self._log = log
        self._steps = steps
        self._ops = ops
        self._unseen = unseen
        self._over = False
        self.protocols: OverrideDispatcher | None = None
        self.hooks: TensorHookRecorder | None = None

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Call the function, and record it if it creates a node or asks types for an answer."""
        if self._over:
            return func(*args, **kwargs) if kwargs else func(*args)
        kwargs = kwargs or {}
        if types and self.protocols is not None and has_torch_function_override(types):
            return self.protocols.call(func, tuple(types), args, kwargs)
        left = None if self.protocols is None else self.protocols.again(func)
        earlier = self._steps.before(func, args, kwargs) if may_write(func) else None
        before = compat.sequence_number()
        started = self._log.now()
        part = None
        if self._ops is not None and not starts_backward(func):
            part = self._steps.begin_op_stage(args, kwargs)
        try:
            with self.looking(func, part):
                result = self._call(func, args, kwargs)
        except BaseException:
            self._steps.end_op_stage(part)
            raise
        if self._steps.histories.watching:
            self._steps.histories.called(func, args, kwargs, result)
        if func in _HOOKING and self.hooks is not None:
            self.hooks.called(func, args)
        if compat.sequence_number() != before and not starts_backward(func):
            site = None if left is None else left.site
            since = (before, started)
            self._steps.record(func, args, kwargs, result, since, earlier, part, site)
        else:
            self._steps.end_op_stage(part)
        if left is not None:
            left.left = result
        return result

    def _call(self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self._unseen is not None:
            return self._unseen.call(func, args, kwargs)
        return func(*args, **kwargs)

    def looking(
        self, func: Callable[..., Any], part: OpenStage | None
    ) -> contextlib.AbstractContextManager[None]:
        """Context that records the ops of a function, if there is a stage for them."""
        if self._ops is None:
            return _NOTHING
        if getattr(func, "__name__", "") in compat.ALTERED_FUNCTIONS:
            return self._ops.turned(on=False)
        return _NOTHING if part is None else self._ops.turned(on=True)

    @contextlib.contextmanager
    def active_in_this_thread(self) -> Iterator[None]:
        """Enable the mode in this thread, unless it is enabled already.

        Torch disables it during ``loss.backward()``, but calls that a user's backward makes must be
        recorded. The engine passes the modes on to its own threads.
        """
        if self._over or any(mode is self for mode in compat.function_modes()):
            yield
            return
        with self:
            yield

    def leave(self) -> None:
        """Remove the mode from this thread; in other threads it only stops recording."""
        self._over = True
        compat.pop_mode(self)
