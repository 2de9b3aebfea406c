"""Records a piece of code into a file and reads the trace back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.catalogue.finding_kinds import finding_kind
from gradviz.model.item import Item
from gradviz.model.trace import Trace
from gradviz.model.validation.trace_rules import validate
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.recording import Recording
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN


@dataclass
class RecordedRun:
    trace: Trace
    index: TraceIndex
    values: dict[int, npt.NDArray[Any]]
    result: Any
    error: BaseException | None

    def of(self, item: Item) -> Any:
        """The item's elements as nested lists, or None."""
        return None if item.tensor is None else self.values[item.tensor].tolist()

    def steps(self, kind: type[Any]) -> list[Any]:
        return [step for step in self.trace.steps if isinstance(step, kind)]

    @property
    def notes(self) -> list[str]:
        """Messages of findings about the recording itself, not about the code."""
        return [each.message for each in self.trace.findings if finding_kind(each.code).recording]

    def named(self, kind: type[Any], name: str) -> Any:
        """The first step of a kind whose node or op has this name."""
        for step in self.steps(kind):
            if getattr(step, "op", None) == name:
                return step
            if getattr(step, "node", None) is not None and (
                self.index.node[step.node].name == name
            ):
                return step
        raise AssertionError(f"no {kind.__name__} of {name}")


def read(path: Path, result: Any = None, error: BaseException | None = None) -> RecordedRun:
    with open_trace(path) as reader:
        trace = reader.trace()
        values = {}
        for record in trace.tensors:
            value = reader.value(record.id)
            if value is not None:
                values[record.id] = value.array().copy()
    assert validate(trace) == []
    return RecordedRun(trace, index_trace(trace), values, result, error)


def record_run(
    path: Path, code: Callable[[], Any], *, raises: bool = False, **options: Any
) -> RecordedRun:
    """Runs ``code`` inside a strict recording."""
    writer = TraceWriter(path / "run.gradviz", ORIGIN)
    result, caught = None, None
    try:
        with Recording(writer, RecordingOptions(**{"strict": True, **options})):
            result = code()
    except BaseException as error:
        if not raises:
            raise
        caught = error
    finally:
        writer.close()
    assert (caught is not None) == raises
    return read(path / "run.gradviz", result, caught)


def equal_bits(one: Any, other: Any) -> bool:
    return np.asarray(one).tobytes() == np.asarray(other).tobytes()
