"""Everything in a trace but times and addresses, to be compared with another one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Thread
from typing import Any

import torch
from msgspec import Struct

from gradviz.store.reader import open_trace
from tests.recorder.recorded_run import record_run

TraceFacts = tuple[Any, list[tuple[int, bytes]]]
"""The records of a trace as plain data, and the elements of its tensors."""


def facts(value: Any) -> Any:
    """A record as plain data, without times, and with addresses in texts left out."""
    if isinstance(value, Struct):
        kept = [each for each in value.__struct_fields__ if not each.endswith("_ns")]
        return {each: facts(getattr(value, each)) for each in kept}
    if isinstance(value, str):
        return re.sub("0x[0-9a-f]+", "0x", value)
    return [facts(each) for each in value] if isinstance(value, Sequence) else value


def facts_of(path: Path) -> TraceFacts:
    """Everything in a trace."""
    with open_trace(path) as reader:
        trace = reader.trace()
        tensors = [each.id for each in trace.tensors]
        return facts(trace), list(reader.blobs(tensors)) if tensors else []


def recorded_facts(folder: Path, code: Callable[[], Any], level: str = "nodes") -> TraceFacts:
    """Everything in the trace of some code, as if nothing had run before it."""
    folder.mkdir()

    def run() -> None:
        torch.manual_seed(0)
        record_run(folder, code, level=level)

    # The nodes of a thread are numbered from 0.
    thread = Thread(target=run, name="run")
    thread.start()
    thread.join()
    return facts_of(folder / "run.gradviz")
