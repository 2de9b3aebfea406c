"""Converts an argument's fields to an input specification, or to problems."""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass
from typing import Literal

from gradviz.catalogue.language import format_count
from gradviz.model.element_encoding import INTEGER_RANGES
from gradviz.model.inputs import (
    FILL_PARAMETERS,
    MOST_VALUES,
    TENSOR_SUFFIXES,
    InputSpec,
    Number,
    parse_input_file,
)
from gradviz.viewer.forms.controls import FieldError
from gradviz.viewer.inputs.elements.typed_cells import CellElements, TypedCells, read_cells
from gradviz.viewer.inputs.fields.parsing import parse_element, parse_literal, parse_shape
from gradviz.viewer.inputs.form_draft import ArgumentDraft
from gradviz.viewer.translation import translate

FieldName = Literal["shape", "fill", "parameter 0", "parameter 1", "values", "text"]

_OF_FRACTIONS = ("linspace", "rand", "randn")
_EXACT_UP_TO = {"float32": 2**24, "complex64": 2**24, "float16": 2**11, "bfloat16": 2**8}
"""The largest integer up to which the dtype represents every integer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentReading:
    """The result of reading an argument's fields.

    Attributes:
        spec: The input specification; None while a field is not valid.
        problems: A sentence for each invalid field.
        notes: Sentences on surprising effects, such as numbers that the dtype rounds.
    """

    spec: InputSpec | None
    problems: dict[FieldName, str]
    notes: tuple[str, ...] = ()


def read_argument(draft: ArgumentDraft, own: InputSpec) -> ArgumentReading:
    """Convert fields to an input specification.

    Args:
        draft: The content of the fields.
        own: The original input of the scene or the file.
    """
    if draft.kind == "tensor":
        return _TensorReader(draft, own).reading()
    try:
        return ArgumentReading(spec=_read_text(draft, own), problems={})
    except FieldError as error:
        return ArgumentReading(spec=None, problems={"text": str(error)})


def requires_grad(draft: ArgumentDraft) -> bool:
    """Whether a gradient is requested and the dtype allows one."""
    return draft.requires_grad and draft.dtype not in INTEGER_RANGES


def _read_text(draft: ArgumentDraft, own: InputSpec) -> InputSpec:
    """The specification of what is no tensor, or a tensor in a file."""
    text = draft.text
    match draft.kind:
        case "none":
            return own if own.kind == "none" else InputSpec(name=draft.name, kind="none")
        case "object":
            if own.kind == "object" and own.fill == "given" and text == own.text:
                return own
            text = parse_literal(text)
        case "words":
            try:
                shlex.split(text)
            except ValueError:
                problem = translate("Inputs", "A quotation mark is not closed.")
                raise FieldError(problem) from None
        case "file":
            text = text.strip()
            if parse_input_file(text) is None:
                problem = translate("Inputs", "Enter a file that ends in {0}.")
                raise FieldError(problem.format(", ".join(TENSOR_SUFFIXES)))
    grad = draft.kind == "file" and draft.requires_grad
    return InputSpec(name=draft.name, kind=draft.kind, text=text, requires_grad=grad)


class _TensorReader:
    """Reads the fields of a tensor one by one."""

    def __init__(self, draft: ArgumentDraft, own: InputSpec) -> None:
        self._draft = draft
        self._own = own
        self._problems: dict[FieldName, str] = {}
        self._notes: list[str] = []
        self._elements = CellElements()

    def reading(self) -> ArgumentReading:
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
        return ArgumentReading(
            spec=None if self._problems else spec,
            problems=self._problems,
            notes=tuple(self._notes),
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

    def _read_cells(self, cells: TypedCells) -> None:
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
            message = translate("Inputs", "low must be less than high; high itself is never drawn.")
            self._problems["parameter 1"] = message
        elif low < least or high - 1 > most:
            message = translate(
                "Inputs", "{0} goes from {1} to {2}. high may be one more than that."
            )
            wrong: FieldName = "parameter 0" if low < least else "parameter 1"
            self._problems[wrong] = message.format(
                self._draft.dtype, format_count(least), format_count(most)
            )

    def _note_counts(self, count: int) -> None:
        exact = _EXACT_UP_TO.get(self._draft.dtype, count)
        if count - 1 > exact:
            message = translate(
                "Inputs",
                "{0} cannot represent every integer above {1}, so arange is rounded there.",
            )
            self._notes.append(message.format(self._draft.dtype, format_count(exact)))


def _given(draft: ArgumentDraft, own: InputSpec) -> InputSpec:
    return InputSpec(
        name=own.name,
        shape=own.shape,
        dtype=own.dtype,
        fill="given",
        values=own.values,
        requires_grad=draft.requires_grad,
    )


def _fill_problem(draft: ArgumentDraft, shape: tuple[int, ...]) -> str:
    count, dtype = math.prod(shape), draft.dtype
    if draft.fill == "values" and count > MOST_VALUES:
        message = translate("Inputs", "The shape has {1} elements; the grid can hold up to {0}.")
        return message.format(format_count(MOST_VALUES), format_count(count))
    if draft.fill == "eye" and len(shape) != 2:
        return translate("Inputs", "eye needs a shape with two sizes, like 3×3.")
    if draft.fill in _OF_FRACTIONS and dtype in INTEGER_RANGES:
        return translate("Inputs", "{0} creates fractions, but {1} holds only integers.").format(
            draft.fill, dtype
        )
    if draft.fill == "arange" and count - 1 > INTEGER_RANGES.get(dtype, (0, count))[1]:
        message = translate("Inputs", "arange would count to {0}, but {1} ends at {2}.")
        return message.format(
            format_count(count - 1), dtype, format_count(INTEGER_RANGES[dtype][1])
        )
    return ""
