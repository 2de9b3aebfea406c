"""Descriptions of a tensor in words, made from its record."""

from __future__ import annotations

from gradviz.catalogue.language import format_count
from gradviz.catalogue.numbers import number_text
from gradviz.model.statistics import Statistics
from gradviz.model.tensor import TensorRecord
from gradviz.text.phrases import record_shape_text, shape_text
from gradviz.viewer.translation import plural, translate

_ROWS_AND_COLUMNS = 2


def kind_line(record: TensorRecord, usual: tuple[str, str] = ("", "")) -> str:
    """Shape, and dtype, device, subclass, layout and version if they are unusual.

    Args:
        record: The record of the tensor.
        usual: The dtype and the device of most tensors beside it, which go without saying.
    """
    parts = [record.dtype] if record.dtype != usual[0] else []
    parts.append(record_shape_text(record))
    parts += [record.device] if record.device != usual[1] else []
    if record.subclass:
        parts.append(record.subclass)
    if record.layout != "strided":
        parts.append(record.layout)
    if record.version:
        parts.append(translate("TensorView", "version {number}").format(number=record.version))
    return " · ".join(parts)


def statistics_line(record: TensorRecord) -> str:
    """Statistics in one line; empty for a single element, whose value says it all."""
    numbers = record.statistics
    if numbers is None or numbers.count <= 1:
        return ""
    if numbers.minimum is None or numbers.maximum is None:
        return translate("TensorView", "no finite elements")
    magnitude = record.dtype.startswith("complex")
    # Complex elements of equal magnitude can still differ.
    if numbers.minimum == numbers.maximum and numbers.all_finite and not magnitude:
        value = bool(numbers.minimum) if record.dtype == "bool" else numbers.minimum
        return translate("TensorView", "all {value}").format(value=number_text(value))
    if record.dtype == "bool":
        true = numbers.count - numbers.zeros
        return translate("TensorView", "{true} of {count} True").format(
            true=true, count=numbers.count
        )
    text = translate("TensorView", "{minimum} … {maximum} · mean {mean} · std {std} · norm {norm}")
    names = ("minimum", "maximum", "mean", "std", "norm")
    line = text.format(**{name: number_text(getattr(numbers, name)) for name in names})
    if numbers.zeros:
        text = plural.tr("{line} · {count} zero(s)", "", numbers.zeros)
        line = text.format(line=line, count=format_count(numbers.zeros))
    line = translate("TensorView", "magnitude: {line}").format(line=line) if magnitude else line
    return with_non_breaking_entries(line)


def sampling_line(record: TensorRecord) -> str:
    """Say which part of the values is shown; empty if all of them are."""
    if record.content == "whole":
        return ""
    if record.content == "preview":
        text = translate(
            "TensorView",
            "Statistics cover all {count} elements; {kept} of them are shown: {steps} ({why}).",
        )
        if record.statistics is None:
            text = translate("TensorView", "Showing {kept} of {count} elements: {steps} ({why}).")
        return text.format(
            count=format_count(record.count),
            kept=shape_text(record.kept_shape).strip("[]"),
            steps=_steps_text(record),
            why=record.note or translate("TensorView", "too large to keep"),
        )
    if record.content == "statistics":
        text = translate("TensorView", "Values not kept: {why}. Statistics cover all elements.")
    else:
        text = translate("TensorView", "Values not kept: {why}.")
    return text.format(why=record.note or translate("TensorView", "too large to keep"))


def summary(record: TensorRecord, mark: str = "") -> str:
    """Describe a tensor in one line.

    Args:
        record: The record of the tensor.
        mark: Letter of its memory, if other tensors share that memory.
    """
    parts = [kind_line(record)]
    if mark:
        parts.append(translate("TensorView", "memory {mark}").format(mark=mark))
    parts.append(elements_text(record))
    parts += filter(None, (statistics_line(record), *non_finite_counts(record.statistics)))
    # Non-breaking spaces serve line breaks on screen; copied text needs plain ones.
    return " · ".join(parts).replace("\N{NO-BREAK SPACE}", " ")


def spoken(name: str, record: TensorRecord, mark: str = "") -> str:
    """Name and `summary`, for screen readers and tooltips."""
    text = translate("TensorView", "{name}: {summary}")
    return text.format(name=name, summary=summary(record, mark))


def elements_text(record: TensorRecord) -> str:
    """Number of elements in words: ``6 elements``."""
    text = plural.tr("{count} element(s)", "", record.count)
    return text.format(count=format_count(record.count))


def non_finite_counts(numbers: Statistics | None) -> tuple[str, ...]:
    """Counts of NaN and of positive and negative infinities; empty where there are none."""
    if numbers is None:
        return ()
    counts = (
        (translate("TensorView", "{count} NaN"), numbers.nans),
        (translate("TensorView", "{count} +Inf"), numbers.positive_infinities),
        (translate("TensorView", "{count} −Inf"), numbers.negative_infinities),
    )
    return tuple(text.format(count=format_count(count)) if count else "" for text, count in counts)


def with_non_breaking_entries(line: str) -> str:
    """Make a line wrap only between entries, never between a label and its number."""
    entries = line.split(" · ")
    return " · ".join(entry.replace(" ", "\N{NO-BREAK SPACE}") for entry in entries)


def _steps_text(record: TensorRecord) -> str:
    """Describe which elements a preview holds: ``every 3rd row, every 2nd column``."""
    dimensions = len(record.kept_steps)
    parts = []
    for axis, step in enumerate(record.kept_steps):
        if step == 1:
            continue
        from_end = dimensions - axis
        if dimensions >= _ROWS_AND_COLUMNS and from_end == _ROWS_AND_COLUMNS:
            parts.append(translate("TensorView", "every {nth} row").format(nth=_nth(step)))
        elif dimensions >= _ROWS_AND_COLUMNS and from_end == 1:
            parts.append(translate("TensorView", "every {nth} column").format(nth=_nth(step)))
        elif dimensions == 1:
            parts.append(translate("TensorView", "every {nth} element").format(nth=_nth(step)))
        else:
            text = translate("TensorView", "every {nth} index of dimension {axis}")
            parts.append(text.format(nth=_nth(step), axis=axis))
    return ", ".join(parts) or translate("TensorView", "a part")


def _nth(number: int) -> str:
    ends = {
        1: translate("TensorView", "{number}st"),
        2: translate("TensorView", "{number}nd"),
        3: translate("TensorView", "{number}rd"),
    }
    # 11th, 12th and 13th, although they end in 1, 2 and 3.
    teens = 10 <= number % 100 <= 20
    end = (
        translate("TensorView", "{number}th")
        if teens
        else ends.get(number % 10, translate("TensorView", "{number}th"))
    )
    return end.format(number=number)
