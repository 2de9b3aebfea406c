"""The order in which findings are listed."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from gradviz.analysis.position import finding_positions
from gradviz.catalogue.finding_kinds import FindingKind, finding_kind
from gradviz.model.finding import Finding, Severity
from gradviz.text.repeated_findings import finding_text
from tests.recorder.recorded_run import record_run


def finding(number: int, code: str, severity: Severity, step: int | None = None) -> Finding:
    return Finding(id=number, code=code, severity=severity, message="", step=step, node=None)


def test_the_most_severe_come_first_and_those_about_the_recording_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    codes: list[str] = []

    def kind(code: str) -> FindingKind:
        codes.append(code)
        return finding_kind(code)

    monkeypatch.setattr(finding_positions, "finding_kind", kind)
    found = (
        finding(1, "lines_left_out", "error"),
        finding(2, "note", "info"),
        finding(3, "note", "warning", step=7),
        finding(4, "note", "warning", step=2),
        finding(5, "note", "error"),
    )
    ordered = finding_positions.ordered_findings(found * 100)
    assert [each.id for each in ordered[::100]] == [5, 4, 3, 2, 1]
    assert sorted(codes) == ["lines_left_out", "note"], "each kind is looked up once"


def test_what_a_loop_repeats_is_one_group(tmp_path: Path) -> None:
    def double(gradient: torch.Tensor) -> torch.Tensor:
        return gradient * 2

    def run() -> None:
        w, v = (torch.ones(2, requires_grad=True) for _ in range(2))
        for each in (w, v):
            each.register_hook(double)
        for _ in range(3):
            y = w * v
            y.register_hook(double)
            y.exp().sum().backward()

    index = record_run(tmp_path, run).index
    groups = finding_positions.grouped_findings(index, index.trace.findings)
    assert [len(group) for group in groups] == [3, 3, 3]
    for group in groups:
        # Of the same tensor, in one step of each iteration.
        assert len({each.message.split(" changes ")[0] for each in group}) == 1
        assert len({each.step for each in group}) == 3
        assert finding_text(group).endswith(" Likewise in 2 later steps.")
        assert finding_text(group[:1]) == group[0].message
