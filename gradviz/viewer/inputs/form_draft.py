"""The content of the form's fields, valid or not, as values for undo and reset."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from gradviz.model.element_encoding import element_as_stored, shortest_text
from gradviz.model.fill_values import filled_elements
from gradviz.model.inputs import (
    FILL_PARAMETERS,
    MOST_VALUES,
    FillKind,
    InputKind,
    InputSpec,
    ModuleMode,
    Number,
    Offer,
    StartGradient,
)
from gradviz.viewer.forms.controls import FieldError
from gradviz.viewer.inputs.elements.typed_cells import TypedCells, fitted_cells
from gradviz.viewer.inputs.fields.parsing import parse_element, parse_shape, shape_text

_FIRST_PARAMETERS = {"linspace": ("0", "1"), "full": ("1",), "randint": ("0", "10")}
"""Default parameters of the fills."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentDraft:
    """The fields of one argument; see `InputSpec`.

    Attributes:
        name: Name of the argument.
        kind: Tensor, None or another object.
        shape: The shape as typed.
        dtype: Name without ``torch.``.
        fill: How the elements are created.
        parameters: Parameters of the fill, as typed.
        cells: The typed elements, kept while another fill is selected; None before any were typed.
        requires_grad: Kept while a dtype is selected that cannot require gradients.
        text: A Python literal as typed.
    """

    name: str
    kind: InputKind
    shape: str
    dtype: str
    fill: FillKind
    parameters: tuple[str, ...]
    cells: TypedCells | None
    requires_grad: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FormDraft:
    """All fields of the form.

    Attributes:
        arguments: The arguments, in order.
        seed: Seed of the random fills and of the run itself.
        output: Position of the output that backward starts at, from 0.
        gradient: How the backward pass starts.
        state_dict: File with the state dict that a Module loads, as typed.
        mode: Mode of a Module.
    """

    arguments: tuple[ArgumentDraft, ...]
    seed: int
    output: int
    gradient: StartGradient
    state_dict: str
    mode: ModuleMode

    def with_argument(self, at: int, draft: ArgumentDraft) -> FormDraft:
        """Return a copy with one argument replaced."""
        changed = (*self.arguments[:at], draft, *self.arguments[at + 1 :])
        return replace(self, arguments=changed)


def form_draft(offer: Offer) -> FormDraft:
    """The fields for the inputs of an offer."""
    dtypes = [spec.dtype for spec in offer.inputs if spec.kind == "tensor"]
    # If an argument that is not a tensor is turned into one, it gets the dtype of the others.
    likely = dtypes[0] if dtypes else "float64"
    return FormDraft(
        arguments=tuple(_draft(spec, likely) for spec in offer.inputs),
        seed=offer.seed,
        output=offer.start.output,
        gradient=offer.start.gradient,
        state_dict=offer.module.state_dict,
        mode=offer.module.mode,
    )


def _draft(spec: InputSpec, likely_dtype: str) -> ArgumentDraft:
    tensor = spec.kind == "tensor"
    dtype = spec.dtype if tensor else likely_dtype
    return ArgumentDraft(
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
    """A number as text for a field of a dtype, with all of its digits."""
    if isinstance(number, complex):
        return shortest_text(number, "complex128")
    return shortest_text(number, "float64" if isinstance(number, float) else dtype)


def with_shape(draft: ArgumentDraft, text: str) -> ArgumentDraft:
    """Change the shape; elements are kept as in `fitted_cells`."""
    changed = replace(draft, shape=text)
    return _with_fitting_cells(changed, draft.cells)


def with_cells(draft: ArgumentDraft, cells: TypedCells) -> ArgumentDraft:
    """Replace the elements, and the shape with theirs."""
    return replace(draft, fill="values", cells=cells, shape=shape_text(cells.shape))


def with_fill(draft: ArgumentDraft, fill: FillKind, spec: InputSpec | None) -> ArgumentDraft:
    """Change the fill.

    Args:
        draft: The fields.
        fill: The new fill; ``values`` starts with the previous elements.
        spec: The parsed fields; None if they were not valid.
    """
    parameters = _FIRST_PARAMETERS[fill] if fill in FILL_PARAMETERS else ()
    changed = replace(draft, fill=fill, parameters=parameters)
    cells = draft.cells
    if cells is None and spec is not None:
        cells = _cells(spec)
    return _with_fitting_cells(changed, cells) if fill == "values" else changed


def with_dtype(draft: ArgumentDraft, dtype: str) -> ArgumentDraft:
    """Change the dtype; rewrite the numbers that it can represent in its format."""
    cells = draft.cells
    if cells is not None:
        texts = tuple(_rewritten(text, dtype) for text in cells.texts)
        cells = TypedCells(shape=cells.shape, texts=texts)
    parameters = tuple(_rewritten(text, dtype) for text in draft.parameters)
    return replace(draft, dtype=dtype, cells=cells, parameters=parameters)


def shape_of(draft: ArgumentDraft) -> tuple[int, ...] | None:
    """The typed shape; None if it is not valid."""
    try:
        return parse_shape(draft.shape)
    except FieldError:
        return None


def _cells(spec: InputSpec) -> TypedCells | None:
    """The elements of an input as text; None if they are not known."""
    if spec.kind != "tensor":
        return None
    if spec.fill == "values":  # as requested, not as rounded by the dtype
        texts = tuple(text_of(each, spec.dtype) for each in spec.values)
        is_whole = len(texts) == math.prod(spec.shape)
        return TypedCells(shape=spec.shape, texts=texts) if is_whole else None
    elements = filled_elements(spec)
    if elements is None:
        return None
    texts = tuple(shortest_text(each, spec.dtype) for each in elements)
    return TypedCells(shape=spec.shape, texts=texts)


def _with_fitting_cells(draft: ArgumentDraft, cells: TypedCells | None) -> ArgumentDraft:
    shape = shape_of(draft)
    if shape is None or (cells is None and draft.fill != "values"):
        return draft
    if math.prod(shape) > MOST_VALUES:
        return replace(draft, cells=cells)
    zero = "False" if draft.dtype == "bool" else "0"
    return replace(
        draft, cells=fitted_cells(cells or TypedCells(shape=(0,), texts=()), shape, zero)
    )


def _rewritten(text: str, dtype: str) -> str:
    try:
        number, _ = parse_element(text, dtype)
    except FieldError:
        return text
    element = element_as_stored(number, dtype)
    # A number that the dtype rounds keeps the digits that were typed.
    return shortest_text(element, dtype) if element == number else text
