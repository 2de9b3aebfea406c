# ruff: noqa: SLF001 - torch keeps its guards private
"""The oracle for recorded ops: what a plain dispatch mode sees of a run."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from gradviz.model.inside import Op, StageRecord
from tests.recorder.recorded_run import RecordedRun

Entry = tuple[str, str, tuple[tuple[int, ...], ...]]
"""Name, overload, and the shapes of the tensors that an op was given."""


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for each in value:
            yield from tensors_in(each)
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))


class OpRecorder(TorchDispatchMode):
    """Logs each op and does nothing else."""

    def __init__(self, log: list[Entry]) -> None:
        super().__init__()
        self.log = log

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        with torch._C.DisableTorchFunctionSubclass():
            shapes = tuple(tuple(each.shape) for each in tensors_in((args, kwargs or {})))
        name, _, overload = str(func).rpartition(".")
        self.log.append((name.replace(".", "::", 1), overload, shapes))
        return func(*args, **(kwargs or {}))


def ops_of(code: Callable[[], Any]) -> list[Entry]:
    """All ops that a piece of code runs in this thread."""
    log: list[Entry] = []
    with OpRecorder(log):
        code()
    return log


@contextlib.contextmanager
def watched(*classes: type) -> Iterator[list[tuple[str, list[Entry]]]]:
    """Runs the methods of Functions under a plain dispatch mode each: name and ops of each call."""
    calls: list[tuple[str, list[Entry]]] = []

    def watch(name: str, method: Callable[..., Any]) -> Any:
        def run(*args: Any, **kwargs: Any) -> Any:
            log: list[Entry] = []
            calls.append((name, log))
            with OpRecorder(log):
                return method(*args, **kwargs)

        return staticmethod(run)

    held = [
        (cls, name, cls.__dict__[name])
        for cls in classes
        for name in ("forward", "setup_context", "backward")
        if name in cls.__dict__
    ]
    for cls, name, method in held:
        setattr(cls, name, watch(name, method.__func__))
    try:
        yield calls
    finally:
        for cls, name, method in held:
            setattr(cls, name, method)


def entry(recording: RecordedRun, op: Op) -> Entry:
    numbers = [item.tensor for item in op.inputs if item.tensor is not None]
    shapes = tuple(recording.index.tensor[number].shape for number in numbers)
    return op.name, op.overload, shapes


def parts(recording: RecordedRun) -> list[tuple[int, StageRecord]]:
    """All recorded stages, each with the number of its step."""
    return [(inside.id, part) for inside in recording.trace.insides for part in inside.parts]


def recorded(recording: RecordedRun) -> list[Entry]:
    """All ops of all stages, in the order of their start."""
    ops = [op for _, part in parts(recording) for op in part.ops if op.seen]
    return [entry(recording, op) for op in sorted(ops, key=lambda op: op.started_ns)]


def called_by_users(recording: RecordedRun, part: StageRecord) -> list[Entry]:
    """The ops of a stage that were called from user lines."""
    return [entry(recording, op) for op in part.ops if op.seen and op.location is not None]


def left_over(all_of: list[Entry], some: list[Entry]) -> list[Entry] | None:
    """The items of one list that are not in another, in order; None if not a superset."""
    rest: list[Entry] = []
    wanted = iter(some)
    next_one = next(wanted, None)
    for each in all_of:
        if each == next_one:
            next_one = next(wanted, None)
        else:
            rest.append(each)
    return rest if next_one is None else None
