"""Parses tensors in pasted text: spreadsheets, Python lists, torch and NumPy output."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from gradviz.catalogue.language import format_count
from gradviz.model.element_encoding import read_number
from gradviz.model.inputs import MOST_VALUES
from gradviz.viewer.forms.controls import FieldError
from gradviz.viewer.inputs.elements.typed_cells import TypedCells
from gradviz.viewer.inputs.fields.parsing import MOST_DIMENSIONS, parse_shape
from gradviz.viewer.translation import translate

MOST_CHARACTERS = 1_000_000

_CALL = re.compile(r"(?:[A-Za-z_]\w*\.)*(?:[Tt]ensor|array|asarray)\s*\((.*)\)\s*;?", re.DOTALL)
_KEYWORDS = re.compile(r"\s*(?:,\s*(?:\w+\s*=\s*(?:<[^>]*>|\([^()]*\)|[^,()<>]+))?)*\s*", re.DOTALL)
_SIZE = re.compile(r"\bsize\s*=\s*(\([^()]*\))")
_TOKEN = re.compile(r"\(\s*[^\s,()\[\]]+[jJ]\s*\)|[\[\]()]|,|[^\s,\[\]()]+")
_WORD = re.compile(r"(?:torch|numpy|np|math)\.(?=nan\b|inf\b)")
_COMPLEX = re.compile(r"\bcomplex\(\s*([^\s,()]+)\s*,\s*([^\s,()]+)\s*\)")
_OPEN, _CLOSE = "[(", "])"

Nested = str | list["Nested"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pasted:
    """Elements parsed from a text.

    Attributes:
        cells: The elements, in the shape that the text gives them.
        whole: Whether brackets mark the text as a whole tensor; spreadsheet lines may be a part
            of one.
    """

    cells: TypedCells
    whole: bool


def parse_pasted(text: str) -> Pasted:
    """Parse ``tensor([[1., 2.]])``, nested lists, NumPy output or spreadsheet lines.

    Raises:
        FieldError: If the text is none of these, or has more elements than the grid can hold.
    """
    if len(text) > MOST_CHARACTERS:
        raise FieldError(translate("Inputs", "The pasted text is too long."))
    # Remove prefixes such as torch. in torch.nan and -torch.inf, and rewrite complex(1, 2).
    text = _COMPLEX.sub(r"\1+\2j", _WORD.sub("", text)).replace("+-", "-")
    stripped = text.strip()
    if not stripped:
        raise FieldError(translate("Inputs", "The clipboard contains no text."))
    if "..." in stripped or "…" in stripped:
        raise FieldError(
            translate("Inputs", "The pasted text omits elements (...). Paste every element.")
        )
    call = _CALL.fullmatch(stripped)
    nested = call[1] if call is not None else stripped
    is_list = call is not None or stripped[0] == "[" or _is_tuple(stripped)
    cells = _parse_nested(nested, in_call=call is not None) if is_list else _parse_table(text)
    if math.prod(cells.shape) > MOST_VALUES:
        template = translate(
            "Inputs", "The pasted text has {1} elements; the grid can hold up to {0}."
        )
        raise FieldError(
            template.format(format_count(MOST_VALUES), format_count(math.prod(cells.shape)))
        )
    return Pasted(cells=cells, whole=is_list)


def placed(
    pasted: Pasted, cells: TypedCells, plane: tuple[int, ...], at: tuple[int, int]
) -> TypedCells:
    """Return the elements after pasting into a grid.

    A whole tensor replaces all elements and the shape. A block is pasted at the given position. At
    the first position, a block that does not fit replaces the whole tensor if that has at most two
    dimensions.

    Args:
        pasted: The parsed elements.
        cells: The elements of the grid.
        plane: The visible plane: indices of the dimensions before the last two.
        at: Row and column at which a block starts.

    Raises:
        FieldError: If a block does not fit there.
    """
    if pasted.whole:
        return pasted.cells
    height, width = pasted.cells.shape
    rows, columns = (1, 1, *cells.shape)[-2:]
    if len(cells.shape) == 1 and width == 1 and height > 1:  # a column of a spreadsheet
        height, width = 1, height
    down, right = at[0] + height, at[1] + width
    if down <= rows and right <= columns and cells.texts:
        array = cells.array().reshape((*cells.shape[:-2], rows, columns))
        block = pasted.cells.array().reshape(height, width)
        array[plane][at[0] : down, at[1] : right] = block
        return TypedCells(shape=cells.shape, texts=tuple(array.flat))
    if at == (0, 0) and len(cells.shape) <= 2:
        shape = (width,) if len(cells.shape) == 1 and height == 1 else (height, width)
        return TypedCells(shape=shape, texts=pasted.cells.texts)
    template = translate("Inputs", "A block of {0} × {1} elements does not fit at [{2}, {3}].")
    raise FieldError(template.format(height, width, *at))


def _is_tuple(text: str) -> bool:
    """Whether a text in parentheses is more than one complex number."""
    return text[0] == "(" and _number(text) is None


def _parse_nested(text: str, *, in_call: bool) -> TypedCells:
    tokens = list(_TOKEN.finditer(text))
    nested, used = _nested([token[0] for token in tokens], 0, MOST_DIMENSIONS)
    rest = text[tokens[used - 1].end() :] if used else ""
    if rest.strip() and not (in_call and _KEYWORDS.fullmatch(rest)):
        raise _unclear(rest.strip())
    shape = _shape(nested)
    if size := _SIZE.search(rest):  # torch prints the size of tensors without elements
        shape = parse_shape(size[1])
    if math.prod(shape) != len(_flat(nested)):
        raise _unclear(rest.strip())
    return TypedCells(shape=shape, texts=tuple(_flat(nested)))


def _nested(tokens: list[str], at: int, deep: int) -> tuple[Nested, int]:
    """Parse one value of limited depth; return it and the position of the next token."""
    if at >= len(tokens) or tokens[at] in (*_CLOSE, ","):
        raise _unclear(tokens[at] if at < len(tokens) else "")
    if tokens[at] not in _OPEN:
        return _checked(tokens[at]), at + 1
    if deep == 0:
        raise FieldError(
            translate("Inputs", "A shape can have at most {0} dimensions here.").format(
                MOST_DIMENSIONS
            )
        )
    found: list[Nested] = []
    at += 1
    while at < len(tokens) and tokens[at] not in _CLOSE:
        value, at = _nested(tokens, at, deep - 1)
        # NumPy pads the parts of complex numbers: "0. -1.j".
        if found and isinstance(value, str) and value[0] in "+-" and value[-1] in "jJ":
            last = found[-1]
            if isinstance(last, str) and last[-1] not in "jJ)" and tokens[at - 2] != ",":
                value = _checked(str(found.pop()) + value)
        found.append(value)
        if at < len(tokens) and tokens[at] == ",":
            at += 1
    if at >= len(tokens):
        raise FieldError(translate("Inputs", "The pasted text is missing a closing bracket."))
    return found, at + 1


def _shape(nested: Nested) -> tuple[int, ...]:
    if isinstance(nested, str):
        return ()
    inner = {_shape(each) for each in nested}
    if len(inner) > 1:
        raise FieldError(
            translate("Inputs", "The lists in the pasted text have different lengths.")
        )
    return (len(nested), *(inner.pop() if inner else ()))


def _flat(nested: Nested) -> list[str]:
    if isinstance(nested, str):
        return [nested]
    return [text for each in nested for text in _flat(each)]


def _parse_table(text: str) -> TypedCells:
    lines = [line for line in text.splitlines() if line.strip()]
    separator = next((each for each in "\t;," if any(each in line for line in lines)), None)
    rows = [[_checked(cell) for cell in _split(line, separator)] for line in lines]
    lengths = [len(row) for row in rows]
    if len(set(lengths)) > 1:
        raise FieldError(
            translate("Inputs", "The lines of the pasted text have different lengths.")
        )
    return TypedCells(
        shape=(len(rows), lengths[0]), texts=tuple(cell for row in rows for cell in row)
    )


def _split(line: str, separator: str | None) -> list[str]:
    if separator is None:
        return line.split()
    parts = line.split(separator)
    if separator == "," and len(parts) > 1 and not parts[-1].strip():
        parts.pop()  # a row of a Python list ends with a comma
    return parts


def _checked(text: str) -> str:
    """Check that a text is a number and return it stripped."""
    cleaned = text.strip().strip("\"'").strip()
    if not cleaned:
        raise FieldError(translate("Inputs", "An element in the pasted text is empty."))
    if _number(cleaned) is None:
        if _number(cleaned.replace(",", "")) is not None:
            template = translate("Inputs", "{0}: use a decimal point, and no commas.")
            raise FieldError(template.format(cleaned[:40]))
        raise _unclear(cleaned)
    return cleaned


def _number(text: str) -> complex | None:
    try:
        return read_number(text)
    except ValueError:
        return None


def _unclear(text: str) -> FieldError:
    if not text:
        return FieldError(translate("Inputs", "The pasted text contains no elements."))
    return FieldError(
        translate("Inputs", "{0} in the pasted text is not a number.").format(text[:40])
    )
