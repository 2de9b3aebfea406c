"""Records one forward of a Function with its lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.autograd import Function

from gradviz.model.inside import ExecutedLine, StageRecord
from gradviz.model.item import Item
from tests.recorder.recorded_run import RecordedRun, record_run


class Call:
    """One recorded forward with a given body."""

    def __init__(self, path: Path, body: Callable[..., Any], *, raises: bool = False) -> None:
        class Made(Function):
            @staticmethod
            def forward(ctx, x):
                ctx.value = body(ctx, x)
                return x * 2

            @staticmethod
            def backward(ctx, grad):
                return grad * 2

        x = torch.ones(3, dtype=torch.float64, requires_grad=True)
        self.recording = record_run(path, lambda: Made.apply(x), raises=raises, level="all")
        self.part = part_of(self.recording, "forward")
        self.frame = self.part.frames[1]

    def text_of(self, line: ExecutedLine) -> str:
        """The first line of text of a line that ran."""
        number = line.location.source
        texts = [source.text for source in self.recording.trace.sources if source.id == number]
        return texts[0].splitlines()[line.location.line - 1] if texts else ""

    def line(self, text: str, visit: int = 0) -> ExecutedLine:
        """The executed line whose text contains the given one."""
        found = [line for line in self.part.lines if text in self.text_of(line).split("#")[0]]
        return found[visit]

    def changed(self, text: str, visit: int = 0) -> dict[str, Any]:
        """Names and values that a line changed; tensors as lists."""
        return {item.name: self.value(item) for item in self.line(text, visit).changes}

    def value(self, item: Item) -> Any:
        return self.recording.of(item) if item.kind == "tensor" else item.text or None


def part_of(recording: RecordedRun, stage: Any) -> StageRecord:
    found = [part for each in recording.trace.insides if (part := each.part(stage)) and part.lines]
    return found[0]
