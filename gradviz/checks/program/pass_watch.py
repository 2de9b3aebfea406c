"""The backward passes of a plain run: where they started, and what they gave to chosen leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import torch
from torch import Tensor
from torch.autograd import graph as autograd_graph

from gradviz.recorder.backward.backward_passes import EngineCall, engine_call_of
from gradviz.recorder.patching.patches import AttributePatches
from gradviz.recorder.patching.signals import calls_user_code


@dataclass(slots=True, kw_only=True)
class ObservedPass:
    """One backward pass of a run.

    Attributes:
        roots: Copies of the tensors at which it started; None if they cannot be compared.
        gradients: Copies of the gradients that it started with, one for each root.
        received: The gradient that it gave to each leaf, by name.
        finished: Whether it returned, and no other pass ran inside.
    """

    roots: tuple[Tensor, ...] | None
    gradients: tuple[Tensor, ...]
    received: dict[str, Tensor] = field(default_factory=dict)
    finished: bool = False


class PassWatch:
    """``with PassWatch(leaves) as watch:`` observes every backward pass of the block.

    Args:
        leaves: The leaves whose gradients are kept, by name.

    Attributes:
        passes: The passes in the order in which they began.
    """

    def __init__(self, leaves: Mapping[str, Tensor]) -> None:
        self.passes: list[ObservedPass] = []
        self._leaves = leaves
        self._running = 0
        self._nested = False
        self._patches = AttributePatches()

    def __enter__(self) -> PassWatch:
        # `torch.autograd` has imported the function by name, so both names need the wrapper.
        self._patches.replace(autograd_graph, "_engine_run_backward", self._watched)
        self._patches.replace(torch.autograd, "_engine_run_backward", self._watched)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._patches.remove()

    def _watched(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @calls_user_code
        def _engine_run_backward(t_outputs: Any, *args: Any, **kwargs: Any) -> Any:
            outputs = tuple(t_outputs)
            call = engine_call_of(outputs, args, kwargs)
            observed = _begun(call)
            self.passes.append(observed)
            self._nested = self._running > 0
            before = {name: _copy(leaf.grad) for name, leaf in self._leaves.items()}
            self._running += 1
            try:
                result = original(outputs, *args, **kwargs)
            finally:
                self._running -= 1
            if not self._nested:
                observed.received = self._received(call, result, before)
                observed.finished = True
            return result

        return _engine_run_backward

    def _received(
        self, call: EngineCall, result: Any, before: Mapping[str, Tensor | None]
    ) -> dict[str, Tensor]:
        found: dict[str, Tensor] = {}
        for name, leaf in self._leaves.items():
            if call.accumulate:
                total, earlier = _copy(leaf.grad), before[name]
                if total is None:
                    continue
                added = total if earlier is None else total - earlier
                # A leaf that the pass does not reach looks the same as a gradient of zeros.
                if bool(added.count_nonzero()):
                    found[name] = added
            else:
                given = (
                    each for key, each in zip(call.inputs, result, strict=False) if key is leaf
                )
                value = _copy(next(given, None))
                if value is not None:
                    found[name] = value
        return found


def _begun(call: EngineCall) -> ObservedPass:
    pairs = list(zip(call.outputs, call.gradients, strict=False))
    comparable = len(pairs) == len(call.outputs) and all(
        isinstance(root, Tensor)
        and isinstance(gradient, Tensor)
        and root.dtype is gradient.dtype is torch.float64
        and root.layout is gradient.layout is torch.strided
        and root.shape == gradient.shape
        for root, gradient in pairs
    )
    if not comparable:
        return ObservedPass(roots=None, gradients=())
    return ObservedPass(
        roots=tuple(root.detach().clone() for root, _ in pairs),
        gradients=tuple(gradient.detach().clone() for _, gradient in pairs),
    )


def _copy(value: Any) -> Tensor | None:
    strided = isinstance(value, Tensor) and value.layout is torch.strided
    return value.detach().clone() if strided else None
