"""Sees each aten op inside of a stage: what it was given, what it made, what it changed."""

from __future__ import annotations

import time
from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode

from gradviz.model.inside import Op
from gradviz.model.item import Item
from gradviz.recorder import compat
from gradviz.recorder.border import bordered
from gradviz.recorder.compat import Quiet
from gradviz.recorder.insides import Insides
from gradviz.recorder.log import Log
from gradviz.recorder.open_part import OpenPart
from gradviz.recorder.sources import Sources, caller
from gradviz.recorder.tensors import Tensors


class OpMode(TorchDispatchMode):
    """The dispatch mode of a recording that looks into steps."""

    def __init__(self, log: Log, tensors: Tensors, sources: Sources, insides: Insides) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._log = log
        self._tensors = tensors
        self._sources = sources
        self._insides = insides

    @property
    def border(self) -> Log:
        """Where trouble goes."""
        return self._log

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Calls the op, and records it where a stage runs."""
        kwargs = kwargs or {}
        part = self._insides.here()
        if part is None or not self._log.alive:
            return func(*args, **kwargs)
        inputs = self._inputs(func, args, kwargs)
        started = time.perf_counter_ns()
        result = func(*args, **kwargs)
        duration = time.perf_counter_ns() - started
        self._record(part, func, inputs or (), result, duration)
        return result

    @bordered
    def _inputs(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Item, ...]:
        names = [argument.name for argument in compat.schema_of(func).arguments]
        pairs = [*zip(names, args, strict=False), *kwargs.items()]
        with self._log.lock, Quiet():
            return tuple([self._tensors.item(name, value) for name, value in pairs])

    @bordered
    def _record(
        self, part: OpenPart, func: Any, inputs: tuple[Item, ...], result: Any, duration: int
    ) -> None:
        frame = caller()
        schema = compat.schema_of(func)
        writes = [
            at
            for at, argument in enumerate(schema.arguments[: len(inputs)])
            if argument.alias_info is not None and argument.alias_info.is_write
        ]
        outputs = result if isinstance(result, tuple | list) else (result,)
        with self._log.lock, Quiet():
            ended = self._log.now()
            part.ops.append(
                Op(
                    name=func.name().partition(".")[0],
                    overload=compat.overload_of(func),
                    seen=True,
                    line=part.line,
                    location=self._sources.at(frame),
                    inputs=inputs,
                    outputs=tuple([self._tensors.item("output", each) for each in outputs]),
                    writes=tuple(writes),
                    started_ns=ended - duration,
                    duration_ns=duration,
                    finished=True,
                )
            )
            self._insides.touch(part)
