"""Gradients of leaves that change in a pass after the engine has accumulated them.

Lookup of the node that was executing when a sum was created by the engine itself.
"""

from __future__ import annotations

import weakref
from threading import get_ident

import torch
from msgspec import Struct

from gradviz.model.step import LaterTotal
from gradviz.recorder import compat
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.tensor_elements import is_readable
from gradviz.recorder.tensors.tensor_recorder import TensorRecorder
from gradviz.recorder.thread_state import ProducingNode


class GradientSumTracker:
    """Sequence numbers at which the nodes of a pass began to execute.

    A span ends where the next one of its thread begins: the engine sums the contributions of
    several nodes to one gradient right after the last of them, outside of all hooks.
    """

    def __init__(self) -> None:
        self._begun: list[tuple[int, int, int, ProducingNode]] = []

    def begin(self, since: int, pass_id: int, maker: ProducingNode) -> None:
        """Note that a node begins to execute in this thread.

        Args:
            since: Sequence number that the next node in this thread will get.
            pass_id: The backward pass.
            maker: The node and its step.
        """
        self._begun.append((since, get_ident(), pass_id, maker))

    def producer_at(self, sequence: int) -> ProducingNode | None:
        """What was executing in this thread when the node with this number was created."""
        thread_id = get_ident()
        for since, thread, _, maker in reversed(self._begun):
            if thread == thread_id and since <= sequence:
                return maker
        return None

    def forget(self, pass_id: int) -> None:
        """Discard the spans of a pass."""
        self._begun = [each for each in self._begun if each[2] != pass_id]


class RecordedTotal(Struct):
    """A leaf's ``.grad`` as its step recorded it.

    Attributes:
        leaf: Weak reference to the leaf.
        gradient: Weak reference to its ``.grad``.
        version: Version of that tensor; None if it has none.
        total: Number of the recorded ``.grad``.
        content: Content key of its elements; None if they cannot be read, or if it is large and
            nothing is known to change it in the pass.
    """

    leaf: weakref.ref[torch.Tensor]
    gradient: weakref.ref[torch.Tensor]
    version: int | None
    total: int | None
    content: bytes | None

    @property
    def has_changed(self) -> bool:
        """Whether the leaf has another ``.grad``, or torch has written to it."""
        leaf = self.leaf()
        grad = None if leaf is None else leaf.grad
        if grad is None:
            return False
        return grad is not self.gradient() or tensor_compat.version_of(grad) != self.version


class LaterTotals:
    """Compares the leaves of a pass at its end with what their steps have recorded.

    ``DistributedDataParallel``, for example, averages gradients in C++ before the pass ends.
    """

    def __init__(self, tensors: TensorRecorder) -> None:
        self._tensors = tensors
        self._seen: dict[int, dict[int, RecordedTotal]] = {}

    def accumulated(self, pass_id: int, node: int, leaf: torch.Tensor, total: int | None) -> None:
        """Note what a step has recorded for a leaf, given the number of its node."""
        if leaf.grad is None:
            return
        gradient = leaf.grad
        version = tensor_compat.version_of(gradient)
        # To read all large gradients would take as long as to copy them.
        may_change = tensor_compat.is_distributed() or compat.hooks_after(leaf)
        kept = self._tensors.known.kept_content
        content = self._content(gradient) if may_change else kept(gradient)
        seen = RecordedTotal(weakref.ref(leaf), weakref.ref(gradient), version, total, content)
        for others in self._seen.values():
            # A pass inside of another one has changed it, in a step of its own.
            if node in others:
                others[node] = seen
        self._seen.setdefault(pass_id, {})[node] = seen

    def changed(self, pass_id: int) -> tuple[LaterTotal, ...]:
        """The gradients that have changed since, in the order of the accumulation."""
        found = []
        # Processes exchange gradients in memory, past the version counter.
        is_shared = tensor_compat.is_distributed()
        for node, seen in self._seen.get(pass_id, {}).items():
            # Otherwise no elements are read.
            leaf = seen.leaf() if is_shared or seen.has_changed else None
            if leaf is None or leaf.grad is None:
                continue
            total = self._tensors.item("grad", leaf.grad)
            # Another tensor may have the same elements, as a view of a bucket has.
            if total.tensor != seen.total and not self._is_same(leaf.grad, seen):
                found.append(LaterTotal(node=node, total=total))
        return tuple(found)

    def _content(self, gradient: torch.Tensor) -> bytes | None:
        return self._tensors.recorded_content(gradient) if is_readable(gradient) else None

    def _is_same(self, gradient: torch.Tensor | None, seen: RecordedTotal) -> bool:
        if gradient is None or seen.content is None:
            return False
        return self._content(gradient) == seen.content

    def forget(self, pass_id: int) -> None:
        """Discard a pass that is over."""
        self._seen.pop(pass_id, None)
