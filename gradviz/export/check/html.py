"""A Jacobian check as a self-contained HTML fragment for notebooks, light and dark."""

from __future__ import annotations

from gradviz.catalogue.messages import say
from gradviz.export.check.svg import check_svg
from gradviz.export.check.text import check_text
from gradviz.export.check.verdict import (
    diagnosis_sentence,
    outcome_role,
    outcome_sentence,
    problem_sentence,
    settings_words,
    verdict_words,
)
from gradviz.export.graph.svg_elements import svg_element
from gradviz.export.html_fragment import HtmlFragment, folded_text, html_text
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import JacobianReport
from gradviz.model.tensor import TensorValues
from gradviz.model.trace import Trace
from gradviz.text.titles import with_display_title

MOST_PAIRS = 6


def check_html(trace: Trace, report: JacobianReport, values: TensorValues) -> str:
    """Render verdict, diagnoses, evidence and heatmaps, with the full text folded.

    The fragment loads nothing, runs no script and has no ids; it is also well-formed XML.

    Args:
        trace: The trace with the report.
        report: The report to show.
        values: Reads the elements of a tensor by id.
    """
    fragment = HtmlFragment()
    subject = with_display_title(report, trace.origin).subject or say("heatmap.untitled")
    style = f"color:{fragment.paint(outcome_role(report))};font-weight:600"
    verdict = html_text("div", outcome_sentence(report), style)
    said = "".join(_diagnosis(report, each) for each in report.diagnoses)
    for problem in report.problems:
        said += html_text("div", problem_sentence(problem))
    settings = fragment.muted(settings_words(report, ""))
    picture = ""
    if report.blocks:
        picture = fragment.picture(
            lambda paint: check_svg(report, values, paint, most=MOST_PAIRS, captioned=False),
            f"{subject}: {verdict_words(report)}",
        )
    details = folded_text(check_text(trace, report, values))
    return fragment.document(
        f"{fragment.title(subject)}{verdict}{said}{settings}{picture}{details}"
    )


def _diagnosis(report: JacobianReport, diagnosis: Diagnosis) -> str:
    line_html = html_text("div", diagnosis_sentence(report, diagnosis), "margin-top:4px")
    points = "".join(html_text("li", each) for each in diagnosis.evidence)
    if diagnosis.repair is not None:
        points += html_text("li", diagnosis.repair.message)
    return line_html + (svg_element("ul", points, style="margin:2px 0") if points else "")
