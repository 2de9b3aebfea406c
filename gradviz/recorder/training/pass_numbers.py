"""Loss and gradient norms of each pass of a long run, of which most passes are not recorded."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from time import monotonic
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from gradviz.analysis.training.jumps import MOST_BEFORE, is_jump
from gradviz.model.pass_numbers import PassNumbers
from gradviz.recorder.asynchronous_errors import completes_interrupted
from gradviz.recorder.autograd_graph import SeenLeaves
from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.sources import caller
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.memory_elements import memory_array
from gradviz.recorder.tensors.tensor_elements import unreadable_reason
from gradviz.store.writer import TraceWriter

_MOST_WAITING = 500
_MOST_AWAY = 32
"""Numbers that are computed elsewhere wait: to read one stops the run until it is known."""

_MOST_SECONDS = 1.0
"""If the program is killed, no more than this is lost, and curves grow as often during the run."""

_MOST_MEMORIES = 10_000

_LOSS = ""
"""What no leaf is called."""

Reading = float | torch.Tensor | None


class PassNumberRecorder:
    """Reads the loss and the gradients after each pass, and writes what it has read.

    It must cost little, so it knows only leaves that recorded passes have reached, and those of
    the thread that has run the pass.

    Attributes:
        is_finite: Whether all numbers of the last pass that was read are finite.
        has_jumped: Whether the loss or the norm of all gradients was a jump in a pass that was read
            since the one before was noted.
    """

    def __init__(self, writer: TraceWriter, leaves: SeenLeaves) -> None:
        self._writer = writer
        self._leaves = leaves
        self._first = 1
        self._flushed = monotonic()
        self._losses: list[float | None] = []
        self._lines: list[int] = []
        self._norms: dict[str, list[float | None]] = {}
        self._away: list[dict[str, Reading]] = []
        # To make an array takes longer than its norm, and gradients return to the same memory. They
        # keep nothing alive, and are only read while a gradient has that memory.
        self._memories: dict[tuple[int, int, torch.dtype], npt.NDArray[Any]] = {}
        self.is_finite = True
        self.has_jumped = False
        self._recent: tuple[deque[float], deque[float]] = (
            deque(maxlen=MOST_BEFORE),
            deque(maxlen=MOST_BEFORE),
        )

    @completes_interrupted
    def begins_with_jump(self, outputs: Sequence[Any]) -> bool:
        """Whether the loss of a pass that is about to begin is a jump, if it is in CPU memory."""
        with disabled_torch_modes():
            loss = _loss(outputs)
        return isinstance(loss, float) and is_jump(abs(loss), self._recent[0])

    @completes_interrupted
    def note(self, outputs: Sequence[Any]) -> None:
        """Note the pass that has just returned.

        Args:
            outputs: The tensors at which it has started.
        """
        self.has_jumped = False
        with disabled_torch_modes(), np.errstate(all="ignore"):
            row: dict[str, Reading] = {_LOSS: _loss(outputs)}
            for name, leaf in self._leaves.living():
                row[name] = None if leaf is None else self._norm(leaf.grad)
            self._away.append(row)
            frame = caller()
            self._lines.append(0 if frame is None else frame.f_lineno)
            # A number of torch is one that is not in CPU memory.
            if len(self._away) >= _MOST_AWAY or torch.Tensor not in map(type, row.values()):
                self._read()

    def _norm(self, gradient: torch.Tensor | None) -> Reading:
        if gradient is None or type(gradient) not in tensor_compat.OWN_CLASSES:
            return None
        kind, size = _KINDS.get(gradient.dtype), gradient.numel()
        is_ordinary = kind is not None and tensor_compat.is_ordinary(gradient)
        if kind is not None and is_ordinary and size and gradient.is_contiguous():
            place = gradient.data_ptr(), size, gradient.dtype
            elements = self._memories.get(place)
            if elements is None:
                if len(self._memories) >= _MOST_MEMORIES:
                    self._memories.clear()
                elements = self._memories[place] = memory_array(gradient, kind)
            norm = math.sqrt(elements.dot(elements))
            if math.isfinite(norm):
                return norm
        if not gradient.is_floating_point() or unreadable_reason(gradient):
            return None
        # Otherwise the norm of large finite elements would be Inf, often in 16 bits.
        total = torch.linalg.vector_norm(gradient.detach().double())
        return float(total.item()) if total.is_cpu else total

    def _read(self) -> None:
        waiting, self._away = self._away, []
        for row in waiting:
            numbers = {name: None if each is None else float(each) for name, each in row.items()}
            known = [each for each in numbers.values() if each is not None]
            self.is_finite = all(map(math.isfinite, known))
            self._note_jump(numbers)
            count = len(self._losses)
            self._losses.append(numbers.pop(_LOSS))
            if numbers.keys() != self._norms.keys():
                for name in numbers:
                    self._norms.setdefault(name, [None] * count)
            for name, norms in self._norms.items():
                norms.append(numbers.get(name))

    def _note_jump(self, numbers: dict[str, float | None]) -> None:
        loss = numbers[_LOSS]
        norm = math.hypot(*(each for name, each in numbers.items() if name and each is not None))
        for recent, size in zip(self._recent, (abs(loss or 0.0), norm), strict=True):
            self.has_jumped |= is_jump(size, recent)
            recent.append(size)

    def flush_if_many(self) -> None:
        """Write what has been noted if it has become much, or waits for long."""
        if len(self._losses) >= _MOST_WAITING or monotonic() - self._flushed > _MOST_SECONDS:
            self.flush()

    @completes_interrupted
    def flush(self) -> None:
        """Write what has been noted.

        Raises:
            TraceError: If the disk is full or the file no longer exists.
        """
        with disabled_torch_modes():
            self._read()
        self._flushed = monotonic()
        if not self._losses:
            return
        self._writer.put_pass_numbers(
            PassNumbers(
                first=self._first,
                losses=tuple(map(_rounded, self._losses)),
                names=tuple(self._norms),
                norms=tuple([tuple(map(_rounded, each)) for each in self._norms.values()]),
                lines=tuple(self._lines[: 1 if len(set(self._lines)) == 1 else None]),
            )
        )
        self._first += len(self._losses)
        self._losses.clear()
        self._lines.clear()
        self._norms.clear()


def _loss(outputs: Sequence[Any]) -> Reading:
    output = outputs[0] if len(outputs) == 1 else None
    if not isinstance(output, torch.Tensor):
        return None
    is_ordinary = tensor_compat.is_ordinary(output)
    if not is_ordinary and unreadable_reason(output):
        return None
    if output.numel() != 1 or not output.is_floating_point():
        return None
    return float(output.item()) if output.is_cpu else output.detach().reshape(())


_KINDS = {torch.float32: "float32", torch.float64: "float64"}


def _rounded(number: float | None) -> float | None:
    """A number with as many digits as 32 bits have, which take less space."""
    return None if number is None else float(f"{number:.9g}")
