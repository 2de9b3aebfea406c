"""A Jacobian check as a self-contained HTML fragment for notebooks, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gradviz.catalogue.messages import say
from gradviz.drawing.appearance.palette import PaletteRole, color
from gradviz.drawing.content.plain_text import printable_text
from gradviz.export.check.svg import check_svg
from gradviz.export.check.text import check_text
from gradviz.export.check.verdict import (
    diagnosis_sentence,
    outcome_role,
    outcome_sentence,
    problem_sentence,
    settings_words,
)
from gradviz.export.graph.svg_elements import escaped, svg_element
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import JacobianReport
from gradviz.model.tensor import TensorValues
from gradviz.model.trace import Trace
from gradviz.text.titles import with_display_title

MOST_PAIRS = 6
_MOST_LINES = 200
_MOST_CHARACTERS = 2000

# The notebook's theme overrides the system's.
_DARK = ('[data-jp-theme-light="false"] .gradviz', ".vscode-dark .gradviz")
_LIGHT = ('[data-jp-theme-light="true"] .gradviz', ".vscode-light .gradviz")


def check_html(trace: Trace, report: JacobianReport, values: TensorValues) -> str:
    """Render verdict, diagnoses, evidence and heatmaps, with the full text folded.

    The fragment loads nothing, runs no script and has no ids; it is also well-formed XML.

    Args:
        trace: The trace with the report.
        report: The report to show.
        values: Reads the elements of a tensor by id.
    """
    used: set[PaletteRole] = {"text", "text_muted", "canvas", "border"}

    def paint(role: PaletteRole) -> str:
        used.add(role)
        # The light color applies where a page strips the style element.
        return f"var(--gradviz-{role.replace('_', '-')}, {color(role, 'light')})"

    subject = with_display_title(report, trace.origin).subject or say("heatmap.untitled")
    title = _text("div", subject, "font-size:1.3em;font-weight:600")
    style = f"color:{paint(outcome_role(report))};font-weight:600"
    verdict = _text("div", outcome_sentence(report), style)
    said = "".join(_diagnosis(report, each) for each in report.diagnoses)
    for problem in report.problems:
        said += _text("div", problem_sentence(problem))
    muted = f"color:{paint('text_muted')};font-size:0.85em"
    settings = _text("div", settings_words(report, ""), muted)
    picture = ""
    if report.blocks:
        picture = check_svg(report, values, paint, most=MOST_PAIRS, declared=False, captioned=False)
    details = _details(check_text(trace, report, values))
    inside = f"{_style(used)}{title}{verdict}{said}{settings}{picture}{details}"
    return svg_element("div", inside, class_="gradviz")


def _diagnosis(report: JacobianReport, diagnosis: Diagnosis) -> str:
    line_html = _text("div", diagnosis_sentence(report, diagnosis), "margin-top:4px")
    points = "".join(_text("li", each) for each in diagnosis.evidence)
    if diagnosis.repair is not None:
        points += _text("li", diagnosis.repair.message)
    return line_html + (svg_element("ul", points, style="margin:2px 0") if points else "")


def _details(lines: Iterator[str]) -> str:
    # One line more than is shown tells whether there are others.
    found = list(islice(lines, _MOST_LINES + 1))
    if len(found) > _MOST_LINES:
        found[_MOST_LINES:] = ["…"]
    text = "\n".join(escaped(printable_text(each, most=_MOST_CHARACTERS)) for each in found)
    style = "white-space:pre;overflow-x:auto;color:inherit;background:none"
    inside = _text("summary", say("report.as_text")) + svg_element("pre", text, style=style)
    return svg_element("details", inside)


def _text(tag: str, content: str, style: str = "") -> str:
    inside = escaped(printable_text(content, most=_MOST_CHARACTERS))
    return svg_element(tag, inside, style=style) if style else svg_element(tag, inside)


def _style(roles: set[PaletteRole]) -> str:
    """CSS rules, with the colors of both themes as variables."""
    light, dark = (
        ";".join(f"--gradviz-{role.replace('_', '-')}:{color(role, theme)}" for role in ordered)
        for ordered in [sorted(roles)]
        for theme in ("light", "dark")
    )
    own = (
        "background:var(--gradviz-canvas);color:var(--gradviz-text);padding:10px 14px;"
        "border:1px solid var(--gradviz-border);border-radius:6px;overflow-x:auto;"
        "font-family:Inter,'Helvetica Neue',Arial,sans-serif"
    )
    rules = (
        f".gradviz{{{light};{own}}}",
        f"@media (prefers-color-scheme:dark){{.gradviz{{{dark}}}}}",
        f"{','.join(_DARK)}{{{dark}}}",
        f"{','.join(_LIGHT)}{{{light}}}",
        ".gradviz svg{max-width:100%;height:auto}",
    )
    return svg_element("style", "".join(rules))
