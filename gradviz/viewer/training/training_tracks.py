"""What the plot of a training run shows: its tracks, and what is marked."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.analysis.training.iterations import iteration_at
from gradviz.analysis.training.training_curves import TrainingCurve, TrainingRun
from gradviz.analysis.training.value_series import ValueSeries
from gradviz.catalogue.finding_kinds import finding_kind
from gradviz.catalogue.numbers import number_text
from gradviz.document.ops import duration_text
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.text.phrases import size_text
from gradviz.viewer.training.iteration_plot import IterationMark, PlotTrack, ValueWords
from gradviz.viewer.translation import translate

_LOSS_COLORS: tuple[PaletteRole, ...] = ("accent", "update", "forward", "text")


_Mark = tuple[int, str, PaletteRole]


def training_tracks(
    training: TrainingRun,
    until: float,
    parameter: str = "",
    series: ValueSeries | None = None,
) -> list[PlotTrack]:
    """The tracks of a training, from top to bottom.

    Args:
        training: The training.
        until: The last step of the run whose results may be shown.
        parameter: Name of a parameter whose own gradient is shown, too; empty for none.
        series: A value of one step that is shown, too.
    """
    tracks = [
        _track(loss, loss.name, color, until)
        for loss, color in zip(training.losses, _LOSS_COLORS, strict=False)
        if loss.points
    ]
    gap = translate("Training", "NaN, Inf or not recorded")
    name = translate("Training", "gradient norm")
    tracks.append(_track(training.gradient_norm, name, "backward", until, gap))
    for curve in (each for each in training.norms if each.name == parameter):
        text = translate("Training", "gradient norm of {0}").format(curve.name)
        tracks.append(_track(curve, text, "leaf_border", until, gap))
    if series is not None:
        text = "{0}" if series.is_scalar else translate("Training", "norm of {0}")
        tracks.append(_track(series, text.format(series.name), "text", until, gap))
    measured = zip(training.iterations, training.costs, strict=True)
    known = [(each.number, cost) for each, cost in measured if each.last <= until]
    at = [number for number, _ in known]
    sizes = [float(cost.saved_bytes) for _, cost in known]
    times = [float(cost.duration_ns) for _, cost in known]
    tracks.append(
        _cost(translate("Training", "saved for backward"), at, sizes, "saved_border", _size)
    )
    tracks.append(
        _cost(translate("Training", "time, with recording"), at, times, "text_muted", _time)
    )
    return tracks


def _track(
    curve: TrainingCurve | ValueSeries, name: str, color: PaletteRole, until: float, gap: str = ""
) -> PlotTrack:
    points = [each for each in curve.points if each.step <= until]
    return PlotTrack(
        name=name,
        at=np.array([each.at for each in points], np.float64),
        values=np.array([each.value for each in points], np.float64),
        words=number_text,
        color=color,
        gap=gap,
    )


def _cost(
    name: str, at: list[int], values: list[float], color: PaletteRole, words: ValueWords
) -> PlotTrack:
    return PlotTrack(
        name=name,
        at=np.array(at, np.float64),
        values=np.array(values, np.float64),
        words=words,
        color=color,
        minor=True,
    )


def _size(value: float) -> str:
    return size_text(round(value))


def _time(value: float) -> str:
    return duration_text(round(value))


def iteration_marks(training: TrainingRun, revealed: RevealedTrace) -> list[IterationMark]:
    """Findings, losses that are not finite, and skipped updates, by iteration."""
    found: dict[int, list[tuple[str, PaletteRole]]] = {}
    marks = (*_failures(training, revealed.until), *_findings(training, revealed))
    for number, words, color in marks:
        found.setdefault(number, []).append((words, color))
    return [
        IterationMark(
            number=number,
            words=", ".join(dict.fromkeys(words for words, _ in several)),
            color="error" if any(color == "error" for _, color in several) else "warning",
        )
        for number, several in sorted(found.items())
    ]


def _failures(training: TrainingRun, until: float) -> Iterator[_Mark]:
    for curve in (*training.losses, training.gradient_norm):
        for point in curve.points:
            if point.step <= until and not math.isfinite(point.value):
                name = curve.name or translate("Training", "gradient")
                # A norm that is unknown is NaN as well.
                value = (
                    number_text(point.value)
                    if curve.kind == "loss"
                    else translate("Training", "NaN or Inf")
                )
                yield math.ceil(point.at), f"{name} {value}", "error"
    has_updates = training.knows_updates and any(each.updates for each in training.iterations)
    for each in training.iterations[:-1] if has_updates else ():
        if not each.updates and each.last <= until:
            yield each.number, translate("Training", "no update"), "warning"


def _findings(training: TrainingRun, revealed: RevealedTrace) -> Iterator[_Mark]:
    for finding in revealed.findings:
        iteration = None
        if finding.step is not None and finding.severity != "info":
            iteration = iteration_at(training.iterations, finding.step)
        if iteration is not None:
            color: PaletteRole = "error" if finding.severity == "error" else "warning"
            yield iteration.number, finding_kind(finding.code).title, color
