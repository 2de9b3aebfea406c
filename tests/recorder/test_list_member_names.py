"""Names of tensors in a list that stands in a call."""

from __future__ import annotations

from pathlib import Path

import torch

from gradviz.model.step import ForwardStep
from tests.recorder.recorded_run import record_run
from tests.recorder.test_tensor_names import inputs_of


def test_members_of_lists(tmp_path: Path) -> None:
    def run() -> None:
        x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        parts = [torch.ones(2, requires_grad=True), x * 2]
        table = {"y": y}
        total = torch.cat([x, y * 2, table["y"]]).reshape([3, 2]).sum()
        (total + torch.stack(parts).sum() + torch.hstack((x, *[y])).sum()).backward()

    recording = record_run(tmp_path, run)
    assert inputs_of(recording, "cat") == ["x", "tensors[1]", "table['y']"]
    assert inputs_of(recording, "reshape")[0] == "input"
    assert inputs_of(recording, "stack") == ["parts[0]", "parts[1]"]
    assert inputs_of(recording, "hstack") == ["x", "y"]
    leaves = [node.variable_name for node in recording.trace.nodes if node.kind == "accumulate"]
    assert leaves == ["x", "y", "parts[0]"]
    texts = [item.name for step in recording.steps(ForwardStep) for item in step.inputs]
    assert all(text.isprintable() for text in texts)
