"""The Training tab of a page: curves over all iterations, and a table of those in the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.training.curve_bands import FloatColumn, curve_band, is_logarithmic
from gradviz.analysis.training.iterations import Iteration
from gradviz.analysis.training.training_curves import TrainingCurve, TrainingRun, training_of
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import number_text
from gradviz.catalogue.visible_text import visible_text
from gradviz.document.ops import duration_text
from gradviz.export.graph.svg_elements import SvgAttributes, escaped, svg_element
from gradviz.export.page.page_steps import PagePart
from gradviz.model.columns import IntColumn
from gradviz.text.phrases import size_text

_WIDTH, _HEIGHT, _TICK = 720, 100, 6
"""Size of a plot, which the page stretches: a band of values for each unit of its width."""


def training_markup(index: TraceIndex, parts: Sequence[PagePart], notes: Sequence[str]) -> str:
    """Write the tab as HTML, in which all that can be clicked is a link to a step.

    Args:
        index: The trace.
        parts: The steps of the page.
        notes: What was recorded of the run, and what the page leaves out.

    Returns:
        The markup; empty if the run has no iterations.
    """
    training = training_of(index) if parts[0].iteration is not None else None
    if training is None:
        return ""
    shown = [(each.iteration, each) for each in parts if each.iteration is not None]
    links = [(each, part.numbers[-1]) for each, part in shown]
    steps = {each.step for each in index.trace.findings if each.severity != "info"}
    marked = {each.number for each, _ in links if any(step in each for step in steps if step)}
    curves = [*((each.name, "loss", each) for each in training.losses), _norm(training)]
    tracks = [
        _track(name, kind, curve, training, links, marked)
        for name, kind, curve in curves
        if curve.points
    ]
    columns = [(name, _by_iteration(curve)) for name, _, curve in curves if curve.points]
    told = [svg_element("p", escaped(each), class_="hint") for each in notes]
    table = _table(training, columns, [part for _, part in shown], marked)
    return "".join((*tracks, *told, table))


def _norm(training: TrainingRun) -> tuple[str, str, TrainingCurve]:
    return say("page.training.norm"), "norm", training.gradient_norm


def _by_iteration(curve: TrainingCurve) -> dict[int, float]:
    """The last value of each iteration, by its number."""
    return {int(each.at): each.value for each in curve.points if each.at == int(each.at)}


def _track(
    name: str,
    kind: str,
    curve: TrainingCurve,
    training: TrainingRun,
    links: Sequence[tuple[Iteration, int]],
    marked: set[int],
) -> str:
    at = np.array([each.at for each in curve.points], np.float64)
    values = np.array([each.value for each in curve.points], np.float64)
    last = max(training.rounds, links[-1][0].number)
    columns = (at - 1) / max(1, last - 1) * _WIDTH
    finite = np.isfinite(values)
    name = visible_text(name)
    title = [svg_element("b", escaped(name))]
    inside, ends = "", [""] * 2
    if finite.any():
        low, high = float(values[finite].min()), float(values[finite].max())
        inside, is_log = _lines(columns, values), is_logarithmic(values)
        ends = [number_text(high), number_text(low)]
        title += [escaped(say("page.training.logarithmic"))] if is_log else []
    if gaps := len(values) - int(finite.sum()):
        title.append(escaped(say("page.training.gaps", count=format_count(gaps))))
        inside += "".join(_line(each, "gap") for each in np.unique(columns[~finite].round(1)))
    inside += "".join(_links(links, last, marked))
    box = f"0 0 {_WIDTH} {_HEIGHT}"
    plot = svg_element(
        "svg", inside, viewBox=box, preserveAspectRatio="none", role="group", aria_label=name
    )
    axis = [say("page.iteration", number=format_count(number)) for number in (1, last)]
    return svg_element(
        "figure",
        svg_element("figcaption", " · ".join(title))
        + _texts("ends", ends)
        + plot
        + _texts("axis", axis),
        class_="track",
        data_kind=kind,
    )


def _texts(kind: str, texts: Iterable[str]) -> str:
    inside = "".join(svg_element("span", escaped(text) or " ") for text in texts)
    return svg_element("p", inside, class_=kind)


def _lines(columns: FloatColumn, values: FloatColumn) -> str:
    """A line through the values.

    If they are many, they are a band from the smallest to the largest one of each column, with the
    running median.
    """
    finite = np.isfinite(values)
    scaled = np.log if is_logarithmic(values) else np.asarray
    low, high = (float(scaled(each)) for each in (values[finite].min(), values[finite].max()))

    def points(xs: FloatColumn | IntColumn, numbers: FloatColumn) -> list[tuple[float, float]]:
        heights = _HEIGHT * (1 - (scaled(numbers) - low) / (high - low or 1.0))
        return [*zip(xs.tolist(), heights.round(1).tolist(), strict=True)]

    if len(values) <= _WIDTH / 2:
        breaks = np.flatnonzero(~finite)
        rows = zip(np.split(columns.round(1), breaks), np.split(values, breaks), strict=True)
        known = ((xs[kept], each[kept]) for xs, each in rows for kept in [np.isfinite(each)])
        # The line of a single value has no length, but round ends.
        runs = [f"M{_points(points(*each))}h0" for each in known if len(each[0])]
        return svg_element("path", d="".join(runs), class_="middle")
    order = np.argsort(columns, kind="stable")
    band = curve_band(np.floor(columns[order]).astype(np.int64), values[order])
    upper, lower = (points(band.columns, each) for each in (band.high, band.low))
    area = svg_element("path", d=f"M{_points([*upper, *reversed(lower)])}Z", class_="band")
    middle = _points(points(band.columns, band.middle))
    return area + svg_element("path", d=f"M{middle}", class_="middle")


def _points(points: Iterable[tuple[float, float]]) -> str:
    return "L".join(f"{x} {y}" for x, y in points)


def _line(x: float, kind: str = "") -> str:
    top, bottom = (_HEIGHT, _HEIGHT + _TICK) if kind == "tick" else (0, _HEIGHT)
    more: SvgAttributes = {"class_": kind} if kind else {}
    return svg_element("line", x1=x, x2=x, y1=str(top), y2=str(bottom), **more)


def _links(links: Sequence[tuple[Iteration, int]], last: int, marked: set[int]) -> Iterator[str]:
    """A mark for each iteration in the page; a click goes to the nearest one."""
    xs = [round((each.number - 1) / max(1, last - 1) * _WIDTH, 1) for each, _ in links]
    ends = [0.0, *((left + right) / 2 for left, right in pairwise(xs)), _WIDTH]
    for at, (iteration, step) in enumerate(links):
        text = say("page.iteration", number=format_count(iteration.number))
        width = ends[at + 1] - ends[at]
        area = svg_element("rect", x=ends[at], y="0", width=width, height=str(_HEIGHT))
        title = svg_element("title", escaped(text))
        inside = f"{title}{area}{_line(xs[at])}{_line(xs[at], 'tick')}"
        yield svg_element("a", inside, href=f"#{step}", **_mark(iteration.number, marked))


def _mark(number: int, marked: set[int]) -> SvgAttributes:
    kind: SvgAttributes = {"class_": "marked"} if number in marked else {}
    return {"data_iteration": str(number), **kind}


def _table(
    training: TrainingRun,
    columns: Sequence[tuple[str, dict[int, float]]],
    parts: Sequence[PagePart],
    marked: set[int],
) -> str:
    heads = [say("page.training.iteration"), *(name for name, _ in columns)]
    heads += [say("page.training.saved"), say("page.training.time"), ""]
    costs = dict(zip(training.iterations, training.costs, strict=True))
    cell = partial(svg_element, "td")
    rows = ["".join(svg_element("th", escaped(visible_text(each)) or " ") for each in heads)]
    rows = [svg_element("tr", rows[0])]
    for part in parts:
        iteration, numbers = part.iteration, part.numbers
        assert iteration is not None
        values = [known.get(iteration.number) for _, known in columns]
        texts = ["–" if each is None else number_text(each) for each in values]
        cost = costs[iteration]
        texts += [size_text(cost.saved_bytes), duration_text(cost.duration_ns)]
        steps = {"first": format_count(numbers[0]), "last": format_count(numbers[-1])}
        say_steps = say("page.training.steps", **steps)
        if len(numbers) == 1:
            say_steps = say("page.groups.step", number=steps["last"])
        link = svg_element("a", format_count(iteration.number), href=f"#{numbers[0]}")
        inside = cell(link) + "".join(cell(escaped(each)) for each in (*texts, say_steps))
        rows.append(svg_element("tr", inside, **_mark(iteration.number, marked)))
    table = svg_element("table", "".join(rows), class_="iterations")
    return svg_element("div", table, class_="scrolls")
