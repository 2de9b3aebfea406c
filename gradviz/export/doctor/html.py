"""Findings of the doctor as an HTML table for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.catalogue.messages import say
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.export.doctor.text import doctor_lines
from gradviz.export.graph.svg_elements import svg_element
from gradviz.export.html_fragment import HtmlFragment, html_text
from gradviz.linter.coverage import Coverage
from gradviz.linter.doctor_finding import DoctorFinding

_CELL = "text-align:left;vertical-align:top;padding:2px 10px 2px 0;white-space:normal"
_ROLES: dict[str, PaletteRole] = {"error": "error", "warning": "warning"}


def doctor_html(findings: Sequence[DoctorFinding], coverages: Sequence[Coverage]) -> str:
    """Render a row for each finding, and below them what was checked.

    The fragment loads nothing and runs no script; it is also well-formed XML.
    """
    fragment = HtmlFragment()
    rows = "".join(_row(fragment, each) for each in findings)
    # A fragment outside of a table has no rows, and an empty table is none.
    inside = svg_element("table", rows, style="border-collapse:collapse") if rows else ""
    summary, *rest = list(doctor_lines(findings, coverages))[len(findings) :] or [""]
    inside += html_text("div", summary) if summary else ""
    return fragment.document(inside + "".join(map(fragment.muted, rest)))


def _row(fragment: HtmlFragment, finding: DoctorFinding) -> str:
    place = f"{finding.path}:{finding.line}" if finding.line else finding.path
    color = fragment.paint(_ROLES.get(finding.severity, "text"))
    cells = (
        html_text("td", finding.rule.id, f"{_CELL};font-weight:600"),
        html_text("td", say(f"doctor.severity.{finding.severity}"), f"{_CELL};color:{color}"),
        html_text("td", place, f"{_CELL};color:{fragment.paint('text_muted')}"),
        html_text("td", finding.message, _CELL),
    )
    return svg_element("tr", "".join(cells), style="background:none")
