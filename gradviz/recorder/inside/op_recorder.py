"""Recording of a stage's ops: added before they run, completed when they return."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from time import perf_counter_ns
from types import FrameType
from typing import Any

import numpy as np
import torch
from msgspec import Struct

from gradviz.model.item import Item, tensor_item
from gradviz.recorder.accelerators import wait_for
from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.inside.op_schema import Named
from gradviz.recorder.inside.open_stage import OpenStage, StageOp
from gradviz.recorder.inside.stage_recorder import StageRecorder
from gradviz.recorder.log import RecordLog
from gradviz.recorder.sources import SourceRecorder, caller_below_engine
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.numpy_arrays import ArrayRecorder
from gradviz.recorder.tensors.tensor_elements import unreadable_reason
from gradviz.recorder.tensors.tensor_recorder import TensorRecorder

MOST_OPS = 20_000
"""Limit on recorded ops in a stage; further ones are only counted."""


_LEAVE_UNFILLED = frozenset(
    f"aten::{name}"
    for name in (
        *("empty", "empty_like", "empty_permuted", "empty_strided"),
        *("new_empty", "new_empty_strided"),
    )
)
_OVERWRITE = frozenset(
    f"aten::{name}_"
    for name in (
        *("bernoulli", "cauchy", "copy", "exponential", "fill", "geometric", "log_normal"),
        *("normal", "random", "uniform", "zero"),
    )
)
"""Ops that replace all elements of a tensor, which may be uninitialized before."""
_DO_NOT_COUNT = frozenset(f"aten::{name}" for name in ("detach_", "resize_", "resize_as_", "set_"))
"""Ops that change a tensor but not its version."""

_NONE: frozenset[int] = frozenset()


class OpenOp(Struct):
    """An op that is running.

    Attributes:
        part: The stage that it belongs to.
        record: What its stage records of it.
        devices: Accelerators that it uses.
        written: Tensors that it writes to.
        spent: Time taken by recording when it began, as in `OpenStage`.
    """

    part: OpenStage
    record: StageOp
    devices: frozenset[torch.device]
    written: list[torch.Tensor]
    spent: int


class OpRecorder:
    """Recorder of ops, with their tensors as they are before and after the op.

    Accelerators are synchronized before and after each op. Their values have to be read then in any
    case, and the duration of an op becomes that of its kernels.
    """

    def __init__(
        self,
        log: RecordLog,
        tensors: TensorRecorder,
        arrays: ArrayRecorder,
        sources: SourceRecorder,
        stages: StageRecorder,
    ) -> None:
        self._log = log
        self._tensors = tensors
        self._arrays = arrays
        self._sources = sources
        self._stages = stages

    def place(self) -> tuple[OpenStage, FrameType | None] | None:
        """The open stage of the calling thread and the frame that calls the op."""
        part = self._stages.current()
        return None if part is None else (part, caller_below_engine())

    def begin(
        self,
        place: tuple[OpenStage, FrameType | None],
        name: str,
        overload: str,
        given: list[Named],
        writes: Sequence[int] = (),
        *,
        seen: bool = True,
    ) -> OpenOp | None:
        """Record an op that is about to run; None if its stage has too many.

        Args:
            place: What `place` returned.
            name: Same as in `Op`.
            overload: Same as in `Op`.
            given: Named arguments.
            writes: Same as in `Op`.
            seen: Same as in `Op`.
        """
        part, frame = place
        began = perf_counter_ns()
        with self._log.lock, disabled_torch_modes():
            self._stages.mark_changed(part)
            if len(part.ops) >= MOST_OPS:
                part.more_ops += 1
                return None
            op = StageOp(
                name=name,
                overload=overload,
                seen=seen,
                line=part.line,
                location=self._sources.at(frame),
                inputs=self._inputs(name, given),
                writes=tuple(writes),
                started_ns=self._log.now(),
            )
            part.ops.append(op)
            written = [given[at][1] for at in writes if isinstance(given[at][1], torch.Tensor)]
            _note_written(part, written)
            if part.runs_user_code:
                # If the process dies, the op that it was in is what people look for.
                self._log.flush_soon()
            devices = devices_of(given)
            if devices:
                wait_for(devices)
            part.spent += perf_counter_ns() - began
            return OpenOp(part, op, devices, written, part.spent)

    def end(self, op: OpenOp, made: list[Named], started: int, stopped: int) -> None:
        """Complete the record of an op that has returned.

        Args:
            op: The op.
            made: Its named results.
            started: Time of the call, from ``time.perf_counter_ns``.
            stopped: Time of the return.
        """
        part = op.part
        # Recording time of inner calls, such as the ops inside an unseen one.
        recording = part.spent - op.spent
        with self._log.lock, disabled_torch_modes():
            devices = op.devices | devices_of(made)
            waited = not devices or wait_for(devices)
            duration = (perf_counter_ns() if devices else stopped) - started - recording
            written = self._after(op.record.name, op.written, made)
            record = op.record
            record.outputs = tuple([self._item(name, value, written) for name, value in made])
            record.started_ns = self._log.at(started)
            record.duration_ns = duration if waited else None
            record.finished = True
            self._stages.mark_changed(part)
            part.spent += perf_counter_ns() - stopped

    def _inputs(self, name: str, given: list[Named]) -> tuple[Item, ...]:
        watch = self._tensors.non_finite
        if watch is None or name not in _OVERWRITE:
            return self._items(given)
        has_seen_one = watch.has_seen_one
        items = self._items(given)
        watch.has_seen_one = has_seen_one
        return items

    def _items(self, values: Iterable[Named]) -> tuple[Item, ...]:
        return tuple([self._item(name, value) for name, value in values])

    def _item(self, name: str, value: Any, ahead: Iterable[int] = ()) -> Item:
        if type(value) is np.ndarray:
            return self._arrays.item(name, value)
        if id(value) in ahead:
            return tensor_item(name, self._tensors.record(value, ahead=1))
        return self._tensors.item(name, value)

    def _after(self, name: str, written: list[torch.Tensor], made: list[Named]) -> frozenset[int]:
        """Note what an op did to memory, and return the ids of tensors that it wrote to.

        Torch increments their version only after the op has returned.
        """
        if name in _LEAVE_UNFILLED:
            for _, value in made:
                if isinstance(value, torch.Tensor):
                    self._tensors.mark_uninitialized(value)
        if not written:
            return _NONE
        for tensor in written:
            self._tensors.filled(tensor)
        return _NONE if name in _DO_NOT_COUNT else frozenset(map(id, written))


def _note_written(part: OpenStage, written: Iterable[torch.Tensor]) -> None:
    for tensor in written:
        if unreadable_reason(tensor) == "":
            part.written.setdefault(tensor_compat.storage_address(tensor), len(part.ops) - 1)


def devices_of(values: Iterable[Named]) -> frozenset[torch.device]:
    """Accelerators of tensors, where work continues after an op has returned."""
    found = [
        value.device
        for _, value in values
        if isinstance(value, torch.Tensor) and not (value.is_cpu or value.is_meta)
    ]
    return frozenset(found) if found else _NO_DEVICES


_NO_DEVICES: frozenset[torch.device] = frozenset()
