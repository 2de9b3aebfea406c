"""Recording of torch functions that change tensors in place, in grad mode and outside of it."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Iterable, Iterator
from types import EllipsisType
from typing import Any

import torch
from msgspec.structs import replace

from gradviz.model.in_place_write import InPlaceWrite
from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.error_boundary import within_error_boundary
from gradviz.recorder.recording_context import Recorder, RecordingContext
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.tensor_elements import is_readable
from gradviz.recorder.torch_call import TorchCall
from gradviz.recorder.torch_functions import FunctionRole
from gradviz.recorder.training.optimizers import OptimizerRecorder

Counters = list[tuple[torch.Tensor, int]]
"""Tensors that a function was given, and their version counters before the call."""

_OWN_CLASSES = tensor_compat.OWN_CLASSES
_version = tensor_compat.version_counter
_SET_ITEM = torch.Tensor.__setitem__


class InPlaceWriteRecorder(Recorder):
    """Records which calls move the version counters of tensors that the trace knows."""

    def __init__(self, context: RecordingContext, optimizers: OptimizerRecorder) -> None:
        super().__init__(context)
        self._sites = context.sites
        self._optimizers = optimizers
        # What `.data` has returned, by id.
        self._aliases: dict[int, weakref.ref[torch.Tensor]] = {}

    def counters(self, values: Iterable[Any], *, lists: bool) -> Counters:
        """The version counters of the tensors among the arguments of a call, before it.

        Args:
            values: The arguments.
            lists: Whether to look into lists too, which few functions that write take.
        """
        found: Counters = []
        # The steps of optimizers say what these write.
        if self._optimizers.is_updating:
            return found
        for value in values:
            if type(value) in _OWN_CLASSES:
                try:
                    found.append((value, _version(value)))
                except RuntimeError:
                    continue  # From inference mode: without a counter, and autograd never saves it.
            elif lists and isinstance(value, list | tuple):
                found += self.counters(value, lists=False)
        return found

    def written(
        self, call: TorchCall, modified: list[torch.Tensor], role: FunctionRole
    ) -> list[InPlaceWrite]:
        """What a call has written to memory that the trace knows; `put` gives ids and steps.

        Args:
            call: The call, which has returned.
            modified: The arguments whose version counters it has increased.
            role: That of its function.
        """
        if role == "silent":
            self._note_silent(call)
        if modified:
            return self._record(call, modified) or []
        if role == "unscale" and call.args:
            found = self._record(call, list(call.args[0])) or []
            return [replace(each, counted=False) for each in found]
        if role == "data":
            return self._aliased(call) or []
        if role == "export":
            self._exported(call.args)
        return []

    @within_error_boundary
    def _record(self, call: TorchCall, modified: list[torch.Tensor]) -> list[InPlaceWrite]:
        tensors = self._tensors
        with self._log.lock, disabled_torch_modes():
            modified = [each for each in modified if tensors.note_write(each)]
            if not modified:
                return []
            if call.function is _SET_ITEM and _is_slice(call.args[1]):
                (write,) = self._open(call, modified[:1])
                part = tensor_compat.unwrap(modified[0]).detach()[call.args[1]]
                return [replace(write, target=tensors.item(write.target.name, part))]
            return self._open(call, modified)

    def _open(self, call: TorchCall, written: list[torch.Tensor]) -> list[InPlaceWrite]:
        site = call.find_site(self._sites)
        names = {id(value): name for name, value in call.named_values(site)}
        target = names.get(id(call.args[0]), "") if len(call.args) else ""
        return [
            InPlaceWrite(
                id=0,
                op=call.name,
                step=None,
                after_step=0,
                after_saved=self._log.highest("saved"),
                target=self._tensors.item(
                    names.get(id(each), target if len(written) == 1 else ""), each
                ),
                location=site.location,
                counted=not self._is_alias(each),
            )
            for each in written
        ]

    @within_error_boundary
    def _note_silent(self, call: TorchCall) -> None:
        name: str = getattr(call.function, "__name__", "")
        with self._log.lock, disabled_torch_modes():
            written = tensor_compat.silently_written(name, call.values)
            self._tensors.known.note_silent_writes(written)

    @within_error_boundary
    def _exported(self, args: tuple[Any, ...]) -> None:
        """Note memory that may be written without moving the version counter."""
        with self._log.lock, disabled_torch_modes():
            for each in _readable(args[:1]):
                self._tensors.known.note_export(each)

    @within_error_boundary
    def _aliased(self, call: TorchCall) -> list[InPlaceWrite]:
        """Note what ``x.data`` has returned; ``x.data = y`` is a write."""
        with self._log.lock, disabled_torch_modes():
            # Both have the same memory, but separate version counters.
            for each in _readable(call.args):
                self._tensors.known.note_alias(each)
            if isinstance(call.result, torch.Tensor):
                key = id(call.result)
                forget = functools.partial(_forget, self._aliases, key)
                self._aliases[key] = weakref.ref(call.result, forget)
                return []
            if not is_readable(call.args[0]):
                return []
            self._tensors.note_replacement()
            (write,) = self._open(call, [call.args[0]])
            return [replace(write, counted=False)]

    def _is_alias(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor, or what it is a view of, is what ``.data`` has returned."""
        return bool(self._aliases) and id(tensor_compat.base_of(tensor)) in self._aliases

    @within_error_boundary
    def put(self, writes: list[InPlaceWrite], step: int | None) -> None:
        """Record writes, with the step that the call became, if it did."""
        with self._log.lock:
            step, last = step or self._thread_states.step(), self._log.highest("step")
            for each in writes:
                number = self._log.next("write")
                self._log.put(replace(each, id=number, step=step, after_step=last))


def _readable(values: Iterable[Any]) -> Iterator[torch.Tensor]:
    for each in values:
        tensor = tensor_compat.unwrap(each) if isinstance(each, torch.Tensor) else None
        if tensor is not None and is_readable(tensor):
            yield tensor


def _forget(aliases: dict[int, weakref.ref[torch.Tensor]], key: int, _: object) -> None:
    aliases.pop(key, None)


def _is_slice(index: Any) -> bool:
    """Whether ``x[index]`` is a view, which shows exactly what ``x[index] = v`` has written."""
    members = index if isinstance(index, tuple) else (index,)
    return _SLICES.issuperset(map(type, members))


_SLICES = frozenset((int, slice, type(None), EllipsisType))
