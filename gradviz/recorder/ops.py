"""Ops of a stage as records: put down before they run, filled in when they have returned."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np
import torch

from gradviz.model.inside import Op
from gradviz.model.item import Item, tensor_item
from gradviz.recorder import compat
from gradviz.recorder.arrays import Arrays
from gradviz.recorder.compat import Quiet
from gradviz.recorder.insides import Insides
from gradviz.recorder.log import Log
from gradviz.recorder.op_facts import Named
from gradviz.recorder.open_part import OpenPart
from gradviz.recorder.snapshot import note_on
from gradviz.recorder.sources import Sources, caller_below_engine
from gradviz.recorder.tensors import Tensors

MOST_OPS = 20_000
"""So many ops of one stage are kept; the rest is counted."""


_LEAVE_UNFILLED = frozenset(
    f"aten::{name}"
    for name in (
        *("empty", "empty_like", "empty_permuted", "empty_strided"),
        *("new_empty", "new_empty_strided"),
    )
)
_DO_NOT_COUNT = frozenset(f"aten::{name}" for name in ("detach_", "resize_", "resize_as_", "set_"))
"""Ops that change a tensor, but not its version."""


@dataclass(slots=True)
class OpenOp:
    """An op that runs.

    Attributes:
        part: The stage that it stands in.
        at: Its position there.
        devices: Accelerators that it works on.
        written: What it writes into.
        spent: As in `OpenPart`, when it began.
    """

    part: OpenPart
    at: int
    devices: set[torch.device]
    written: list[torch.Tensor]
    spent: int


class Ops:
    """Records ops. Tensors in them are recorded as they are before the op, and after it.

    What an accelerator does is waited for, before the op and after it: its values are read from
    there in any case, and so the time of an op is that of its kernels.
    """

    def __init__(
        self, log: Log, tensors: Tensors, arrays: Arrays, sources: Sources, insides: Insides
    ) -> None:
        self._log = log
        self._tensors = tensors
        self._arrays = arrays
        self._sources = sources
        self._insides = insides

    def place(self) -> tuple[OpenPart, FrameType | None] | None:
        """The stage that an op of the calling thread belongs to, and the line that called it."""
        part = self._insides.here()
        return None if part is None else (part, caller_below_engine())

    def begin(
        self,
        place: tuple[OpenPart, FrameType | None],
        name: str,
        overload: str,
        given: list[Named],
        writes: Sequence[int] = (),
        *,
        seen: bool = True,
    ) -> OpenOp | None:
        """An op is about to run; None where the stage has too many.

        Args:
            place: What `place` said.
            name: As in `Op`.
            overload: As in `Op`.
            given: What it is given.
            writes: As in `Op`.
            seen: As in `Op`.
        """
        part, frame = place
        began = time.perf_counter_ns()
        with self._log.lock, Quiet():
            if frame is not None and part.stage != "forward":
                self._tensors.seals.quiet(on=False)
            self._insides.touch(part)
            if len(part.ops) >= MOST_OPS:
                part.more_ops += 1
                return None
            op = Op(
                name=name,
                overload=overload,
                seen=seen,
                line=part.line,
                location=self._sources.at(frame),
                inputs=self._items(given),
                outputs=(),
                writes=tuple(writes),
                started_ns=self._log.now(),
                duration_ns=None,
                finished=False,
            )
            part.ops.append(op)
            written = [given[at][1] for at in writes if isinstance(given[at][1], torch.Tensor)]
            _note_written(part, written)
            if part.users:
                # What it is in when the process dies is what people look for.
                self._log.flush_soon()
            devices = devices_of(given)
            if devices:
                compat.wait_for(devices)
            part.spent += time.perf_counter_ns() - began
            return OpenOp(part, len(part.ops) - 1, devices, written, part.spent)

    def end(self, op: OpenOp, made: list[Named], started: int, stopped: int) -> None:
        """It has returned.

        Args:
            op: Which one.
            made: What it returned.
            started: When it was called, by ``time.perf_counter_ns``.
            stopped: When it returned.
        """
        part = op.part
        # Of what it called by itself, such as the ops in an unseen one.
        recording = part.spent - op.spent
        with self._log.lock, Quiet():
            devices = op.devices | devices_of(made)
            waited = not devices or compat.wait_for(devices)
            duration = (time.perf_counter_ns() if devices else stopped) - started - recording
            written = self._after(part.ops[op.at].name, op.written, made)
            begun = part.ops[op.at]
            # Not `replace`, which is several times slower.
            part.ops[op.at] = Op(
                name=begun.name,
                overload=begun.overload,
                seen=begun.seen,
                line=begun.line,
                location=begun.location,
                inputs=begun.inputs,
                outputs=tuple([self._item(name, value, written) for name, value in made]),
                writes=begun.writes,
                started_ns=self._log.at(started),
                duration_ns=duration if waited else None,
                finished=True,
            )
            self._insides.touch(part)
            part.spent += time.perf_counter_ns() - stopped

    def _items(self, values: Iterable[Named]) -> tuple[Item, ...]:
        return tuple([self._item(name, value) for name, value in values])

    def _item(self, name: str, value: Any, ahead: Iterable[int] = ()) -> Item:
        if type(value) is np.ndarray:
            return self._arrays.item(name, value)
        if id(value) in ahead:
            return tensor_item(name, self._tensors.record(value, ahead=1))
        return self._tensors.item(name, value)

    def _after(self, name: str, written: list[torch.Tensor], made: list[Named]) -> frozenset[int]:
        """Notes what an op did to memory; identities of the tensors that it wrote into.

        Torch counts up their version only after the op has returned to it.
        """
        if name in _LEAVE_UNFILLED:
            for _, value in made:
                if isinstance(value, torch.Tensor):
                    self._tensors.unfilled(value)
        for tensor in written:
            self._tensors.filled(tensor)
        return frozenset(id(tensor) for tensor in written if name not in _DO_NOT_COUNT)


def _note_written(part: OpenPart, written: Iterable[torch.Tensor]) -> None:
    for tensor in written:
        if note_on(tensor) == "":
            part.written.setdefault(compat.storage_address(tensor), len(part.ops) - 1)


def devices_of(values: Iterable[Named]) -> set[torch.device]:
    """Devices whose work goes on after an op has returned."""
    return {
        value.device
        for _, value in values
        if isinstance(value, torch.Tensor) and not (value.is_cpu or value.is_meta)
    }
