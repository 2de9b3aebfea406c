"""Heatmaps of a Jacobian check as one SVG, with verdict and diagnosis as its caption."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.drawing.font_widths import font_measure
from gradviz.drawing.heat import colour_table
from gradviz.export.check_cells import Maps, maps_of
from gradviz.export.check_map import Paint
from gradviz.export.check_page import Page
from gradviz.export.check_pair import draw_pair, pair_width
from gradviz.export.check_verdict import (
    diagnosis_line,
    outcome_role,
    outcome_word,
    settings_words,
    verdict_words,
)
from gradviz.export.errors import ExportError
from gradviz.export.svg_marks import Attributes, element, text
from gradviz.model.jacobian import JacobianBlock, JacobianReport
from gradviz.model.palette import Role, Theme, colour
from gradviz.model.tensor import Values

MOST_PAIRS = 8
_LEAST_WIDTH = 620.0
_MOST_DIAGNOSES = 3


def theme_paint(theme: Theme) -> Paint:
    """Return the plain colors of a theme."""

    def paint(role: Role) -> str:
        return colour(role, theme)

    return paint


def check_svg(
    report: JacobianReport,
    values: Values,
    paint: Paint,
    *,
    pair: str = "",
    most: int = MOST_PAIRS,
    declared: bool = True,
    captioned: bool = True,
) -> str:
    """Draw numerical, analytical and difference of each pair side by side.

    Args:
        report: The report of the check.
        values: Reads the elements of a tensor by id.
        paint: Returns the color of a role.
        pair: Draw only the pairs of this input or ``OUTPUT/INPUT``; empty for all.
        most: Maximum number of pairs; those with wrong elements come first.
        declared: Whether to add an XML declaration, for a separate file.
        captioned: Whether to write verdict and diagnoses above the maps.

    Raises:
        ExportError: If there is no such pair.
    """
    blocks = chosen_pairs(report, pair)
    drawn = sorted(blocks, key=lambda block: not block.wrong)[:most]
    drawn = [block for block in blocks if block in drawn]
    maps = [each for each in (maps_of(report, block, values) for block in drawn) if each]
    page = Page(paint, font_measure(), max([_LEAST_WIDTH, *map(pair_width, maps)]))
    if captioned:
        _caption(page, report)
    for each in maps:
        draw_pair(page, each)
    left = len(blocks) - len(maps)
    if left:
        page.line(f"{left} more {'pair is' if left == 1 else 'pairs are'} not shown.", "text_muted")
    if maps:
        _legend(page, maps)
    return page.document(verdict_words(report), declared=declared)


def chosen_pairs(report: JacobianReport, pair: str) -> Sequence[JacobianBlock]:
    """Find the pairs by the name of an input or by ``OUTPUT/INPUT``.

    Raises:
        ExportError: If there is no such pair.
    """
    if not pair:
        return report.blocks
    found = [
        block
        for block in report.blocks
        if pair in (block.input_name, f"{block.output_name}/{block.input_name}")
    ]
    if not found:
        names = ", ".join(f"{each.output_name}/{each.input_name}" for each in report.blocks)
        raise ExportError("export.no_pair", pair=pair, names=names or "none")
    return found


def _caption(page: Page, report: JacobianReport) -> None:
    page.line(report.subject or "Jacobians", "text", 17, strong=True)
    page.line(
        f"{outcome_word(report)} {verdict_words(report)}.", outcome_role(report), 13, strong=True
    )
    for diagnosis in report.diagnoses[:_MOST_DIAGNOSES]:
        page.line(_sentence(diagnosis_line(report, diagnosis)), "text")
    left = len(report.diagnoses) - _MOST_DIAGNOSES
    if left > 0:
        page.line(f"And {left} more.", "text")
    for problem in report.problems[:_MOST_DIAGNOSES]:
        page.line(f"{'Problem' if problem.decides else 'Hint'}: {problem.message}", "text")
    page.line(settings_words(report, ""), "text_muted", 10.5)
    page.y += 8


def _sentence(line: str) -> str:
    return line[:1].upper() + line[1:]


def _legend(page: Page, maps: Sequence[Maps]) -> None:
    """Draw the color scale and explain the mark of wrong elements."""
    page.y += 18
    table = colour_table()[::7]
    step = 2.0
    scale = "".join(
        element("rect", x=at * step, width=step + 0.5, height=10, fill=f"#{each.tobytes().hex()}")
        for at, each in enumerate(table)
    )
    width = len(table) * step
    page.put(scale, 0, page.y)
    ink = page.paint("text_muted")
    for content, x, anchor in (
        ("below 0", 0.0, "start"),
        ("0", width / 2, "middle"),
        ("above 0", width, "end"),
    ):
        place: Attributes = {"text_anchor": anchor}
        page.parts.append(text(content, x, page.y + 22, "line", ink, size=9, more=place))
    if any(pair.wrong.any() for pair in maps):
        mark = element("path", d="M12 0h-8l8 8z", fill="#000000", stroke="#ffffff")
        page.put(
            mark + element("circle", cx=24, cy=4, r=2.2, fill="#000000", stroke="#ffffff"),
            width + 24,
            page.y,
        )
        told = "outside the tolerance"
        page.parts.append(text(told, width + 58, page.y + 9, "line", ink, size=10))
    page.y += 26
