"""Recording of torch functions that change tensors in place, in grad mode and outside of it."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterable
from types import EllipsisType
from typing import Any

import torch
from msgspec import Struct
from msgspec.structs import replace

from gradviz.model.in_place_write import InPlaceWrite
from gradviz.model.item import tensor_item
from gradviz.recorder.call_site_names import CallSiteFinder
from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.error_boundary import within_error_boundary
from gradviz.recorder.forward.forward_steps import name_of
from gradviz.recorder.recording_context import Recorder, RecordingContext
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.tensor_elements import is_readable
from gradviz.recorder.training.optimizers import OptimizerRecorder

Counters = list[tuple[torch.Tensor, int]]
"""Tensors that a function was given, and their version counters before the call."""

_OWN_CLASSES = tensor_compat.OWN_CLASSES
_version = tensor_compat.version_counter
_SET_ITEM = torch.Tensor.__setitem__
_EXPORTS = frozenset(
    ("numpy", "__array__", "__dlpack__", "data_ptr", "storage", "untyped_storage", "to_dlpack")
)
"""Functions whose results can be used to write without torch."""


def version_counters(args: Iterable[Any], kwargs: dict[str, Any], *, lists: bool) -> Counters:
    """The version counters of the tensors in a call.

    Args:
        args: Positional arguments.
        kwargs: Keyword arguments.
        lists: Whether to look into lists too, which few functions that write take.
    """
    found: Counters = []
    for value in (*args, *kwargs.values()) if kwargs else args:
        if type(value) in _OWN_CLASSES:
            try:
                found.append((value, _version(value)))
            except RuntimeError:
                continue  # From inference mode: without a counter, and autograd never saves it.
        elif lists and isinstance(value, list | tuple):
            found += version_counters(value, {}, lists=False)
    return found


class OpenWrite(Struct):
    """What a function has written, before it is known whether the call is a step.

    Attributes:
        op: Name of the function.
        tensor: Number of what it has written, in its new state.
        name: Name of that in the source.
        after_saved: Same as in `InPlaceWrite`.
        location: Line that called it.
        counted: Same as in `InPlaceWrite`.
    """

    op: str
    tensor: int
    name: str
    after_saved: int
    location: Any
    counted: bool


class InPlaceWriteRecorder(Recorder):
    """Records which calls move the version counters of tensors that the trace knows."""

    def __init__(self, context: RecordingContext, optimizers: OptimizerRecorder) -> None:
        super().__init__(context)
        self._sites = CallSiteFinder(context.sources)
        self._optimizers = optimizers
        # What `.data` has returned, by id.
        self._aliases: dict[int, weakref.ref[torch.Tensor]] = {}

    def counters(self, args: tuple[Any, ...], kwargs: dict[str, Any], *, lists: bool) -> Counters:
        """What `written` needs to know before a call; see `version_counters`."""
        # The steps of optimizers say what these write.
        if self._optimizers.is_updating:
            return []
        return version_counters(args, kwargs, lists=lists)

    def written(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        result: Any,
        counters: Counters,
    ) -> list[OpenWrite]:
        """What a call that has returned wrote to memory that the trace knows.

        Args:
            function: The torch function.
            args: Its positional arguments.
            kwargs: Its keyword arguments.
            result: What it returned.
            counters: What `counters` returned before the call.
        """
        moved = [tensor for tensor, before in counters if _version(tensor) != before]
        if moved:
            return self._record(function, args, kwargs, moved) or []
        uncounted = tensor_compat.uncounted_targets(function, args)
        if uncounted:
            found = self._record(function, args, kwargs, uncounted) or []
            return [replace(each, counted=False) for each in found]
        if tensor_compat.is_data_access(function):
            return self._aliased(function, args, result) or []
        if getattr(function, "__name__", "") in _EXPORTS:
            self._exported(args)
        return []

    @within_error_boundary
    def _record(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        moved: list[torch.Tensor],
    ) -> list[OpenWrite]:
        tensors = self._tensors
        with self._log.lock, disabled_torch_modes():
            moved = [each for each in moved if tensors.note_write(each)]
            if not moved:
                return []
            if function is _SET_ITEM and _is_slice(args[1]):
                (write,) = self._open(function, args, kwargs, moved[:1])
                part = tensor_compat.unwrap(moved[0]).detach()[args[1]]
                return [replace(write, tensor=self._tensors.record(part))]
            return self._open(function, args, kwargs, moved)

    def _open(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        written: list[torch.Tensor],
    ) -> list[OpenWrite]:
        site = self._sites.find(function, args)
        given = self._sites.arguments(site, function, args, kwargs)
        names = {id(value): name for name, value in given}
        target = names.get(id(args[0]), "") if len(args) else ""
        op, saved = name_of(function), self._log.highest("saved")
        return [
            OpenWrite(
                op,
                self._tensors.record(each),
                names.get(id(each), target if len(written) == 1 else ""),
                saved,
                site.location,
                counted=not self._is_alias(each),
            )
            for each in written
        ]

    @within_error_boundary
    def _exported(self, args: tuple[Any, ...]) -> None:
        """Note memory that may be written without torch."""
        with self._log.lock, disabled_torch_modes():
            for each in filter(is_readable, args[:1]):
                self._tensors.note_export(each)

    @within_error_boundary
    def _aliased(
        self, function: Callable[..., Any], args: tuple[Any, ...], result: Any
    ) -> list[OpenWrite]:
        """Note what ``x.data`` has returned; ``x.data = y`` is a write."""
        with self._log.lock, disabled_torch_modes():
            if isinstance(result, torch.Tensor):
                key = id(result)
                forget = functools.partial(_forget, self._aliases, key)
                self._aliases[key] = weakref.ref(result, forget)
                return []
            if not is_readable(args[0]):
                return []
            self._tensors.note_replacement()
            (write,) = self._open(function, args, {}, [args[0]])
            return [replace(write, counted=False)]

    def _is_alias(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor, or what it is a view of, is what ``.data`` has returned."""
        return bool(self._aliases) and id(tensor_compat.base_of(tensor)) in self._aliases

    @within_error_boundary
    def put(self, writes: list[OpenWrite], step: int | None) -> None:
        """Record writes, with the step that the call became, if it did."""
        with self._log.lock:
            step = step or self._thread_states.step()
            for each in writes:
                self._log.put(
                    InPlaceWrite(
                        id=self._log.next("write"),
                        op=each.op,
                        step=step,
                        after_step=self._log.highest("step"),
                        after_saved=each.after_saved,
                        target=tensor_item(each.name, each.tensor),
                        location=each.location,
                        counted=each.counted,
                    )
                )


def _forget(aliases: dict[int, weakref.ref[torch.Tensor]], key: int, _: object) -> None:
    aliases.pop(key, None)


def _is_slice(index: Any) -> bool:
    """Whether ``x[index]`` is a view, which shows exactly what ``x[index] = v`` has written."""
    members = index if isinstance(index, tuple) else (index,)
    return all(type(each) in _SLICES for each in members)


_SLICES = frozenset((int, slice, type(None), EllipsisType))
