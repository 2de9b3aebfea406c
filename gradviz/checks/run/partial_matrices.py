"""Blocks of pairs that are still being computed, for display or after cancellation."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from gradviz.checks.arguments import block_of
from gradviz.checks.jacobians.analytical import AnalyticalJacobians
from gradviz.checks.jacobians.matrices import matrix_value
from gradviz.checks.output_parts import OutputPart
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.progress import PartialMatrixSink
from gradviz.model.jacobian_report import JacobianBlock

_Key = tuple[int, int, str]


class PartialMatrixKeeper:
    """Storage for the pairs of a check that have no finished block yet."""

    def __init__(
        self,
        running: CheckContext,
        parts: Sequence[OutputPart],
        analytical: dict[int, AnalyticalJacobians],
        only: frozenset[int],
    ) -> None:
        self._running = running
        self._parts = parts
        self._analytical = analytical
        self._only = sorted(only)
        self._sink = running.sink if isinstance(running.sink, PartialMatrixSink) else None
        self._kept: dict[_Key, tuple[int, tuple[int, ...]]] = {}
        self._done: set[tuple[int, int]] = set()
        self._at = (-1, -1)
        self._seen: tuple[object, ...] = ()

    def watch(self) -> None:
        """Start checking before each evaluation whether unfinished matrices should be stored."""
        if self._sink is not None:
            self._running.evaluations.watch = self._look

    def stop(self) -> None:
        """Stop checking, and drop all unfinished blocks."""
        self._running.evaluations.watch = None
        self._running.findings.add(unfinished=())

    def begin_part(self, k: int) -> None:
        """Note that backward passes from one part are about to run."""
        self._begin((k, -1))

    def begin_input(self, i: int) -> None:
        """Note that one input is about to be varied."""
        self._begin((-1, i))

    def _begin(self, at: tuple[int, int]) -> None:
        self._at = at
        self._running.evaluations.growth.end()  # An exception may have left it open.

    def finish(self, k: int, i: int) -> None:
        """Release the storage of a pair whose finished block is about to be added."""
        self._done.add((k, i))
        if self._sink is not None:
            for kind in ("numerical", "analytical"):
                kept = self._kept.pop((k, i, kind), None)
                if kept is not None:
                    self._sink.release(kept[0])
            self._running.findings.add(unfinished=())

    def _look(self) -> None:
        if self._sink is None or not self._sink.is_due():
            return
        growth = self._running.evaluations.growth
        seen = (self._at, growth.kind, growth.filled)
        # Nothing has been filled since the last time.
        if not growth.kind or seen == self._seen:
            return
        self._seen = seen
        findings = self._running.findings
        pairs = (
            (k, i) for k in range(len(self._parts)) for i in self._only if (k, i) not in self._done
        )
        blocks = (self._block(*pair) for pair in pairs)
        findings.add(unfinished=tuple(each for each in blocks if each is not None))
        findings.on_block()

    def _block(self, k: int, i: int) -> JacobianBlock | None:
        analytical, numerical = self._columns(k, i), self._rows(k, i)
        if not analytical.numel() and not numerical.numel():
            return None
        part, each = self._parts[k], self._running.inputs[i]
        return block_of(
            part,
            self._running.output_names[part.output],
            each,
            numerical=self._keep((k, i, "numerical"), numerical),
            analytical=self._keep((k, i, "analytical"), analytical),
        )

    def _columns(self, k: int, i: int) -> Tensor:
        if k in self._analytical:
            return self._analytical[k].matrices[i]
        growth = self._running.evaluations.growth
        if growth.kind == "analytical" and self._at[0] == k:
            return growth.columns(i)
        tensor = self._running.inputs[i].tensor
        return torch.empty((tensor.numel(), 0), dtype=tensor.dtype, device=tensor.device)

    def _rows(self, k: int, i: int) -> Tensor:
        growth = self._running.evaluations.growth
        if growth.kind == "numerical" and self._at[1] == i:
            return growth.rows(k)
        tensor, part = self._running.inputs[i].tensor, self._parts[k]
        shape = (0, part.shape.numel())
        return torch.empty(shape, dtype=part.dtype, device=tensor.device)

    def _keep(self, key: _Key, matrix: Tensor) -> int:
        """Store a matrix again only if it has grown; return its number."""
        assert self._sink is not None
        number, shape = self._kept.get(key, (None, ()))
        if number is None or shape != tuple(matrix.shape):
            number = self._sink.keep(matrix_value(matrix), number)
            self._kept[key] = number, tuple(matrix.shape)
        return number
