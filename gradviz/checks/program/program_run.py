"""Plain runs of a program, each from the same state, with one element moved if desired.

The backward passes of a plain run: where they started, and what they gave to chosen leaves.
"""

from __future__ import annotations

import contextlib
import copy
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd import graph as autograd_graph

from gradviz.checks.problem_messages import Attempt, UserCodeAttempt, describe_exception
from gradviz.checks.reference.forward_replay import replay_of
from gradviz.recorder.backward.backward_passes import EngineCall, engine_call_of
from gradviz.recorder.patching.builtin_apply import make_apply_patch
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

    Attributes:
        passes: The outermost passes in the order in which they began.
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

    def __exit__(self, *exception: object) -> None:
        self._patches.remove()

    def _watched(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @calls_user_code
        def _engine_run_backward(t_outputs: Any, *args: Any, **kwargs: Any) -> Any:
            outputs = tuple(t_outputs)
            call = engine_call_of(outputs, args, kwargs)
            observed = _begun(call)
            self._nested = self._running > 0
            if not self._nested:
                self.passes.append(observed)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A call whose code runs backward passes itself."""

    thing: Callable[..., Any]
    positional: tuple[Any, ...]
    keywords: Mapping[str, Any]
    names: tuple[str, ...]
    seed: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Move:
    """An element of a leaf, and by how much it is moved before the run."""

    leaf: str
    element: int
    distance: float


@dataclass(slots=True)
class ProgramRun:
    """What a plain run did.

    Attributes:
        leaves: The float64 leaves among its arguments and parameters, by name.
        passes: The backward passes that it ran.
        error: What it raised; None for nothing.
    """

    leaves: dict[str, Tensor]
    passes: list[ObservedPass]
    error: Exception | None


class CopyError(Exception):
    """A program cannot be copied; the message describes the exception of its code."""


@calls_user_code
def run_program(
    program: Program, move: Move | None = None, *, replayed: bool = False
) -> ProgramRun:
    """Run a program on copies of its arguments, without output.

    Args:
        program: The program.
        move: The element to move first; None for none.
        replayed: Whether every custom Function runs its forward as plain torch code, so that
            autograd differentiates it.

    Raises:
        CopyError: If what is called or its arguments cannot be copied.
    """
    program.seed()
    with Attempt() as copying:
        # In one call, so that tensors that share memory still do.
        thing, positional, keywords = copy.deepcopy(
            (program.thing, program.positional, dict(program.keywords))
        )
    if copying.error is not None:
        raise CopyError(describe_exception(copying.error))
    given = {**dict(zip(program.names, positional, strict=True)), **keywords}
    if isinstance(thing, torch.nn.Module):
        given = {**dict(thing.named_parameters()), **given}
    leaves = {name: each for name, each in given.items() if _can_be_moved(each)}
    if move is not None:
        moved = leaves[move.leaf].data
        moved[np.unravel_index(move.element, moved.shape)] += move.distance
    discarded = io.StringIO()
    with (
        contextlib.redirect_stdout(discarded),
        contextlib.redirect_stderr(discarded),
        torch.enable_grad(),
        _replayed_functions(on=replayed),
        PassWatch(leaves) as watch,
        UserCodeAttempt() as attempt,
    ):
        thing(*positional, **keywords)
    return ProgramRun(leaves, watch.passes, attempt.error)


def _can_be_moved(value: Any) -> bool:
    return (
        isinstance(value, Tensor)
        and value.requires_grad
        and value.is_leaf
        and value.dtype is torch.float64
        and value.layout is torch.strided
    )


@contextlib.contextmanager
def _replayed_functions(*, on: bool) -> Iterator[None]:
    """Run ``forward`` in place of every user's Function."""
    if not on:
        yield
        return

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def apply(cls: type[Function], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            replay = None if cls.__module__.partition(".")[0] == "torch" else replay_of(cls)
            if replay is None:
                return original(cls, *args, **kwargs)
            return replay(*args, **kwargs)

        return apply

    patch = make_apply_patch()
    patch.install(make)
    try:
        yield
    finally:
        patch.remove()
