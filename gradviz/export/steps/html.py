"""A recording as a self-contained HTML fragment for notebooks that run no script."""

from __future__ import annotations

from itertools import islice

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.messages import say_count
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.graphviz.layout_engine import LayoutError
from gradviz.export.errors import ExportError
from gradviz.export.graph.svg import graph_svg
from gradviz.export.graph.svg_elements import svg_element
from gradviz.export.html_fragment import HtmlFragment, folded_text, html_text, svg_image
from gradviz.export.steps.text import end_text, step_phase, steps_text
from gradviz.model.step import Step
from gradviz.text.found_problems import guide_lines
from gradviz.text.narration import describe_step
from gradviz.text.titles import origin_title

_MOST_STEPS = 100
_ROLES: dict[str, PaletteRole] = {
    "forward": "forward",
    "backward": "backward",
    "error": "error",
}
_CELL = "text-align:left;vertical-align:top;padding:2px 10px 2px 0;white-space:normal"


def steps_html(index: TraceIndex) -> str:
    """Render the graph after the last step, and a table with the sentence of each step.

    The fragment loads nothing, runs no script and has no ids; it is also well-formed XML. The graph
    is an image, because notebooks that are not trusted remove the tags of an SVG from its texts.

    Args:
        index: The trace.
    """
    fragment, trace = HtmlFragment(), index.trace
    title, inside = origin_title(trace.origin), ""
    for line in end_text(trace):
        inside += html_text("div", line, f"color:{fragment.paint('error')}")
    try:
        inside += svg_image(graph_svg(index), title, "gradviz-graph")
    except (ExportError, LayoutError) as error:
        inside = fragment.title(title) + inside + fragment.muted(str(error))
    rows = "".join(_row(fragment, index, step) for step in islice(trace.steps, _MOST_STEPS))
    if rows:
        inside += svg_element("table", rows, style="border-collapse:collapse;margin-top:8px")
    left = len(trace.steps) - _MOST_STEPS
    if left > 0:
        inside += fragment.muted(say_count("steps.more", left))
    for finding in trace.findings:
        inside += html_text("div", f"{finding.severity}: {finding.message}", "margin-top:4px")
    for line in guide_lines(trace.findings):
        inside += html_text("div", line, "margin-top:4px")
    return fragment.document(inside + folded_text(steps_text(index)))


def _row(fragment: HtmlFragment, index: TraceIndex, step: Step) -> str:
    phase = step_phase(step)
    color = fragment.paint(_ROLES.get(phase, "text"))
    cells = (
        html_text("td", str(step.number), f"{_CELL};color:{fragment.paint('text_muted')}"),
        html_text("td", phase, f"{_CELL};color:{color}"),
        html_text("td", describe_step(index, step), _CELL),
    )
    return svg_element("tr", "".join(cells), style="background:none")
