r"""The values of a step as LaTeX: a matrix for each tensor, below its name."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.position_paths import position_path
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.catalogue.visible_text import visible_text
from gradviz.document.facts.current_facts import current_facts
from gradviz.document.facts.fact_rows import ValueRow, sections_of_values, value_rows
from gradviz.export.tensor.latex import latex_comment, latex_number, latex_text
from gradviz.export.tensor.whole_tensor import MOST_AS_TEXT, whole_array
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.text.narration import describe_position
from gradviz.text.phrases import record_shape_text
from gradviz.text.titles import origin_title

_ESCAPES = str.maketrans(
    {
        **{each: f"\\{each}" for each in "{}$&#_%"},
        "\\": "\\textbackslash{}",
        "^": "\\textasciicircum{}",
        "~": "\\textasciitilde{}",
        # Older font encodings have other characters in their places.
        "<": "\\textless{}",
        ">": "\\textgreater{}",
        "|": "\\textbar{}",
    }
)


def step_latex(index: TraceIndex, place: TracePosition) -> str:
    r"""Format the values of a place, to be included in a document that uses amsmath.

    Each tensor is a display equation. One with more than two dimensions becomes a matrix for each
    index of the others, such as ``x_{0,1,:,:}``. What was not kept or is too large is named with
    the reason.

    Args:
        index: The trace.
        place: A step, or a line or an op in it.
    """
    title, sentence = origin_title(index.trace.origin), describe_position(index, place)
    where = say("latex.place", title=title, place=position_path(place))
    comments = [
        where,
        *sentence.split("\n"),
        say("latex.packages", package="\\usepackage{amsmath}"),
    ]
    lines = [f"% {visible_text(each)}" for each in comments]
    facts = current_facts(RevealedTrace.of_all(index), place.step, place=place)
    sections = [] if facts is None else [*sections_of_values(facts.sections)]
    if not sections:
        lines += ["", f"% {say('latex.no_values')}"]
    for section in sections:
        lines += ["", f"\\paragraph{{{latex_words(section.title)}}}"]
        for row in value_rows(section.rows):
            lines += [line for equation in _equations(index, row) for line in equation]
    return "\n".join((*lines, ""))


def latex_words(text: str) -> str:
    """Escape plain text, so that it is neither a command nor mathematics."""
    return visible_text(text).translate(_ESCAPES)


def _equations(index: TraceIndex, row: ValueRow) -> Iterator[list[str]]:
    name, item = f"\\texttt{{{latex_words(row.name)}}}", row.item
    if item.tensor is None:
        text = "None" if item.kind == "none" else item.text
        yield _equation(f"{name} = \\texttt{{{latex_words(text)}}}")
        return
    record, value = index.tensor[item.tensor], index.value(item.tensor)
    if left_out := _left_out(record, value):
        words = say(
            "latex.left_out", dtype=record.dtype, shape=record_shape_text(record), why=left_out
        )
        yield _equation(f"{name}\\colon \\text{{{latex_words(words)}}}")
        return
    array = whole_array(record, value)
    if not array.ndim:
        yield _equation(
            f"{name} =\n{latex_comment(array, record.dtype)}\n{latex_number(array[()])}"
        )
    else:
        for subscript, matrix in _matrices(array):
            yield _equation(f"{name}{subscript} =\n{latex_text(matrix, record.dtype)}")


def _left_out(record: TensorRecord, value: TensorValue | None) -> str:
    """Why a tensor has no matrix; empty if it has one."""
    if value is None or record.content != "whole":
        return record.note or say("latex.not_kept")
    if record.count > MOST_AS_TEXT:
        return say("latex.too_many", most=format_count(MOST_AS_TEXT))
    return "" if record.count else say("tensor.no_elements")


def _matrices(array: npt.NDArray[Any]) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """The matrices of a tensor, with their indices; one dimension is a vector."""
    if array.ndim <= 2:
        yield "", array
        return
    for at in itertools.product(*map(range, array.shape[:-2])):
        yield f"_{{{','.join(map(str, at))},:,:}}", array[at]


def _equation(inside: str) -> list[str]:
    return ["\\[", *inside.rstrip("\n").split("\n"), "\\]"]
