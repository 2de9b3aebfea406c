"""The order in which findings are listed."""

from __future__ import annotations

import pytest

from gradviz.analysis.position import finding_positions
from gradviz.catalogue.finding_kinds import FindingKind, finding_kind
from gradviz.model.finding import Finding, Severity


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
