"""What stands in the form's fields, whether it fits or not: values, for undo and reset."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from gradviz.model.elements import shortest_text, stored
from gradviz.model.fills import elements_of
from gradviz.model.inputs import (
    FILL_PARAMETERS,
    MOST_VALUES,
    Fill,
    InputKind,
    InputSpec,
    Number,
    Offer,
    Start,
)
from gradviz.viewer.inputs.cells import Cells, fitted
from gradviz.viewer.inputs.parse import FieldError, parse_shape, shape_text
from gradviz.viewer.inputs.words import parse_element

_FIRST_PARAMETERS = {"linspace": ("0", "1"), "full": ("1",), "randint": ("0", "10")}
"""What a fill is given as long as nobody says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The fields of one argument; see `InputSpec`.

    Attributes:
        name: Of the argument.
        kind: Tensor, None or another object.
        shape: As it is typed.
        dtype: Name without ``torch.``.
        fill: How the elements are made.
        parameters: Of the fill, as they are typed.
        cells: Kept while another fill is chosen; None before any was typed.
        requires_grad: Kept while a dtype is chosen that cannot require a gradient.
        text: A Python literal, as it is typed.
    """

    name: str
    kind: InputKind
    shape: str
    dtype: str
    fill: Fill
    parameters: tuple[str, ...]
    cells: Cells | None
    requires_grad: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FormDraft:
    """All fields of the form.

    Attributes:
        arguments: In order.
        seed: For the random fills and the run itself.
        output: Which output is differentiated, from 0.
        gradient: How backward starts.
    """

    arguments: tuple[Draft, ...]
    seed: int
    output: int
    gradient: Start

    def with_argument(self, at: int, draft: Draft) -> FormDraft:
        """The same with one argument changed."""
        changed = (*self.arguments[:at], draft, *self.arguments[at + 1 :])
        return replace(self, arguments=changed)


def form_draft(offer: Offer) -> FormDraft:
    """The fields as an offer fills them."""
    dtypes = [spec.dtype for spec in offer.inputs if spec.kind == "tensor"]
    # What is no tensor becomes one like its neighbours, if it becomes one.
    likely = dtypes[0] if dtypes else "float64"
    return FormDraft(
        arguments=tuple(_draft(spec, likely) for spec in offer.inputs),
        seed=offer.seed,
        output=offer.start.output,
        gradient=offer.start.gradient,
    )


def _draft(spec: InputSpec, likely_dtype: str) -> Draft:
    tensor = spec.kind == "tensor"
    dtype = spec.dtype if tensor else likely_dtype
    return Draft(
        name=spec.name,
        kind=spec.kind,
        shape=shape_text(spec.shape),
        dtype=dtype,
        fill=spec.fill if tensor else "randn",
        parameters=tuple(text_of(each, dtype) for each in spec.parameters),
        cells=_cells(spec) if spec.fill == "values" else None,
        requires_grad=spec.requires_grad,
        text=spec.text,
    )


def text_of(number: Number, dtype: str) -> str:
    """A number as it is shown in a field of a dtype, with all its digits."""
    if isinstance(number, complex):
        return shortest_text(number, "complex128")
    return shortest_text(number, "float64" if isinstance(number, float) else dtype)


def with_shape(draft: Draft, text: str) -> Draft:
    """Another shape; as many elements stay in their order, else those that are in both stay."""
    changed = replace(draft, shape=text)
    return _with_fitting_cells(changed, draft.cells)


def with_cells(draft: Draft, cells: Cells) -> Draft:
    """Other elements, and the shape that they have."""
    return replace(draft, fill="values", cells=cells, shape=shape_text(cells.shape))


def with_fill(draft: Draft, fill: Fill, spec: InputSpec | None) -> Draft:
    """Another fill.

    Args:
        draft: The fields.
        fill: The new one; ``values`` begin with the elements that there were.
        spec: What the fields said; None if they did not fit.
    """
    parameters = _FIRST_PARAMETERS[fill] if fill in FILL_PARAMETERS else ()
    changed = replace(draft, fill=fill, parameters=parameters)
    cells = draft.cells
    if cells is None and spec is not None:
        cells = _cells(spec)
    return _with_fitting_cells(changed, cells) if fill == "values" else changed


def with_dtype(draft: Draft, dtype: str) -> Draft:
    """Another dtype; numbers that it can hold are written as it writes them."""
    cells = draft.cells
    if cells is not None:
        texts = tuple(_rewritten(text, dtype) for text in cells.texts)
        cells = Cells(shape=cells.shape, texts=texts)
    parameters = tuple(_rewritten(text, dtype) for text in draft.parameters)
    return replace(draft, dtype=dtype, cells=cells, parameters=parameters)


def shape_of(draft: Draft) -> tuple[int, ...] | None:
    """The shape that is typed; None if it is none."""
    try:
        return parse_shape(draft.shape)
    except FieldError:
        return None


def _cells(spec: InputSpec) -> Cells | None:
    """The elements of a tensor as text, where they are known."""
    if spec.kind != "tensor":
        return None
    if spec.fill == "values":  # as they were asked for, not as the dtype rounds them
        texts = tuple(text_of(each, spec.dtype) for each in spec.values)
        return fitted(Cells(shape=(len(texts),), texts=texts), spec.shape, "0")
    elements = elements_of(spec)
    if elements is None:
        return None
    texts = tuple(shortest_text(each, spec.dtype) for each in elements)
    return Cells(shape=spec.shape, texts=texts)


def _with_fitting_cells(draft: Draft, cells: Cells | None) -> Draft:
    shape = shape_of(draft)
    if shape is None or (cells is None and draft.fill != "values"):
        return draft
    if math.prod(shape) > MOST_VALUES:
        return replace(draft, cells=cells)
    zero = "False" if draft.dtype == "bool" else "0"
    return replace(draft, cells=fitted(cells or Cells(shape=(0,), texts=()), shape, zero))


def _rewritten(text: str, dtype: str) -> str:
    try:
        number, _ = parse_element(text, dtype)
    except FieldError:
        return text
    element = stored(number, dtype)
    # What is rounded keeps the digits that were typed.
    return shortest_text(element, dtype) if element == number else text
