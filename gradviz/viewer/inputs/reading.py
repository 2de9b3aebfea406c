"""What the fields of one argument mean: a specification, or a sentence for each that is wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QCoreApplication

from gradviz.model.elements import INTEGER_RANGES
from gradviz.model.inputs import (
    FILL_PARAMETERS,
    MOST_VALUES,
    InputSpec,
    Number,
)
from gradviz.viewer.inputs.cells import Cells, Elements, read_cells
from gradviz.viewer.inputs.draft import Draft
from gradviz.viewer.inputs.parse import FieldError, parse_literal, parse_shape
from gradviz.viewer.inputs.words import parse_element

FieldName = Literal["shape", "fill", "parameter 0", "parameter 1", "values", "text"]

_OF_FRACTIONS = ("linspace", "rand", "randn")
_EXACT_UP_TO = {"float32": 2**24, "complex64": 2**24, "float16": 2**11, "bfloat16": 2**8}
"""Up to there, each whole number has an element of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one argument's fields say.

    Attributes:
        spec: None while something does not fit.
        problems: A sentence for each field that does not fit.
        notes: Sentences on what may surprise: numbers that the dtype rounds.
        wrong: Positions of elements that do not fit.
        rounded: Positions of elements that the dtype rounds.
    """

    spec: InputSpec | None
    problems: dict[FieldName, str]
    notes: tuple[str, ...] = ()
    wrong: frozenset[int] = frozenset()
    rounded: frozenset[int] = frozenset()


def read(draft: Draft, own: InputSpec) -> Reading:
    """Reads the fields.

    Args:
        draft: What stands in them.
        own: What the scene or the file says for this argument.
    """
    if draft.kind == "none":
        none = own if own.kind == "none" else InputSpec(name=draft.name, kind="none")
        return Reading(spec=none, problems={})
    if draft.kind == "object":
        return _read_object(draft, own)
    return _TensorReader(draft, own).reading()


def requires_grad(draft: Draft) -> bool:
    """Whether a gradient is asked for, and the dtype can have one."""
    return draft.requires_grad and draft.dtype not in INTEGER_RANGES


def _read_object(draft: Draft, own: InputSpec) -> Reading:
    if own.kind == "object" and own.fill == "given" and draft.text == own.text:
        return Reading(spec=own, problems={})
    try:
        text = parse_literal(draft.text)
    except FieldError as error:
        return Reading(spec=None, problems={"text": str(error)})
    return Reading(spec=InputSpec(name=draft.name, kind="object", text=text), problems={})


class _TensorReader:
    """Reads a tensor's fields one after the other."""

    def __init__(self, draft: Draft, own: InputSpec) -> None:
        self._draft = draft
        self._own = own
        self._problems: dict[FieldName, str] = {}
        self._notes: list[str] = []
        self._elements = Elements()

    def reading(self) -> Reading:
        draft = self._draft
        if draft.fill == "given":
            spec = _given(draft, self._own)
        else:
            spec = InputSpec(
                name=draft.name,
                shape=self._shape(),
                dtype=draft.dtype,
                fill=draft.fill,
                parameters=self._parameters(),
                values=self._elements.numbers,
                requires_grad=requires_grad(draft),
            )
        return Reading(
            spec=None if self._problems else spec,
            problems=self._problems,
            notes=tuple(self._notes),
            wrong=self._elements.wrong,
            rounded=self._elements.rounded,
        )

    def _shape(self) -> tuple[int, ...]:
        try:
            shape = parse_shape(self._draft.shape)
        except FieldError as error:
            self._problems["shape"] = str(error)
            return ()
        if problem := _fill_problem(self._draft, shape):
            self._problems["fill"] = problem
        elif self._draft.fill == "values" and self._draft.cells is not None:
            self._read_cells(self._draft.cells)
        elif self._draft.fill == "arange":
            self._note_counts(math.prod(shape))
        return shape

    def _read_cells(self, cells: Cells) -> None:
        self._elements = elements = read_cells(cells, self._draft.dtype)
        if elements.problem:
            self._problems["values"] = elements.problem
        elif elements.note:
            self._notes.append(elements.note)

    def _parameters(self) -> tuple[Number, ...]:
        draft = self._draft
        dtype = "int64" if draft.fill == "randint" else draft.dtype
        numbers: list[Number] = []
        for at, text in enumerate(draft.parameters[: len(FILL_PARAMETERS.get(draft.fill, ()))]):
            try:
                number, note = parse_element(text, dtype)
            except FieldError as error:
                self._problems["parameter 0" if at == 0 else "parameter 1"] = str(error)
                continue
            numbers.append(number)
            self._notes += [note] if note else []
        if draft.fill == "randint" and len(numbers) == 2:
            self._check_bounds(int(numbers[0].real), int(numbers[1].real))
        return tuple(numbers)

    def _check_bounds(self, low: int, high: int) -> None:
        least, most = INTEGER_RANGES.get(self._draft.dtype, (low, high))
        if low >= high:
            said = _tr("low has to be less than high, which is never drawn.")
            self._problems["parameter 1"] = said
        elif low < least or high - 1 > most:
            said = _tr("{0} goes from {1:,} to {2:,}; high is one more than what is drawn.")
            wrong: FieldName = "parameter 0" if low < least else "parameter 1"
            self._problems[wrong] = said.format(self._draft.dtype, least, most)

    def _note_counts(self, count: int) -> None:
        exact = _EXACT_UP_TO.get(self._draft.dtype, count)
        if count - 1 > exact:
            said = _tr("{0} has not every whole number beyond {1:,}: arange is rounded there.")
            self._notes.append(said.format(self._draft.dtype, exact))


def _given(draft: Draft, own: InputSpec) -> InputSpec:
    return InputSpec(
        name=own.name,
        shape=own.shape,
        dtype=own.dtype,
        fill="given",
        values=own.values,
        requires_grad=draft.requires_grad,
    )


def _fill_problem(draft: Draft, shape: tuple[int, ...]) -> str:
    count, dtype = math.prod(shape), draft.dtype
    if draft.fill == "values" and count > MOST_VALUES:
        said = _tr("Up to {0:,} elements can be typed; the shape has {1:,}.")
        return said.format(MOST_VALUES, count)
    if draft.fill == "eye" and len(shape) != 2:
        return _tr("eye makes matrices: the shape has to have two sizes, like 3×3.")
    if draft.fill in _OF_FRACTIONS and dtype in INTEGER_RANGES:
        return _tr("{0} makes fractions, and {1} has none.").format(draft.fill, dtype)
    if draft.fill == "arange" and count - 1 > INTEGER_RANGES.get(dtype, (0, count))[1]:
        said = _tr("arange counts to {0:,}, and {1} ends at {2:,}.")
        return said.format(count - 1, dtype, INTEGER_RANGES[dtype][1])
    return ""


def _tr(text: str) -> str:
    return QCoreApplication.translate("Inputs", text)
