"""Plain runs of a program, each from the same state, with one element moved if desired."""

from __future__ import annotations

import contextlib
import copy
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.checks.program.pass_watch import ObservedPass, PassWatch
from gradviz.checks.reference.forward_replay import replay_of
from gradviz.checks.user_errors import Attempt, UserCodeAttempt, describe_exception
from gradviz.recorder.patching.builtin_apply import make_apply_patch
from gradviz.recorder.patching.signals import calls_user_code


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A call whose code runs backward passes itself.

    Attributes:
        thing: What is called.
        positional: Its positional arguments.
        keywords: Its keyword arguments.
        names: Names of the positional arguments.
        seed: Seeds all random number generators.
    """

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
    unheard = io.StringIO()
    with (
        contextlib.redirect_stdout(unheard),
        contextlib.redirect_stderr(unheard),
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
