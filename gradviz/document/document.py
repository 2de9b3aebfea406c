"""A document: rows of fields, which lists and tables show and screen readers say."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

from gradviz.document.tag import DocumentLink
from gradviz.model.graph_sketch import GraphSketch
from gradviz.model.tensor import TensorValue

FieldTone = Literal["plain", "muted", "accent", "ok", "warning", "error"]
"""What a text means, which sets its color."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a row: its name, or one of its values.

    Attributes:
        text: The text, from outside too; never markup.
        tip: What is known beyond the text; empty if nothing is.
        tone: What the text means.
        strong: Whether the text is bold.
        mono: Whether the text is code or a row of numbers.
        is_number: Whether it is aligned with the numbers above and below it.
        is_marked: Whether it is one that others are shown for.
        icon: Name of the icon before the text; may be empty.
        sketch: The graph that a small picture before the text shows; None for no picture.
        tensor: Elements that such a picture shows; None for no picture.
        limit: The picture's color scale goes from minus this to this.
        share: A bar below the text, from 0 to 1; None for no bar.
    """

    text: str = ""
    tip: str = ""
    tone: FieldTone = "plain"
    strong: bool = False
    mono: bool = False
    is_number: bool = False
    is_marked: bool = False
    icon: str = ""
    sketch: GraphSketch | None = None
    tensor: TensorValue | None = None
    limit: float = 0.0
    share: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row.

    Attributes:
        fields: The fields of the first columns; those of the others are empty.
        spoken: The whole row for screen readers; by default, its texts.
        note: A text below the first field, in a list.
        link: Where the row leads; None if nowhere.
        is_now: Whether it is about the current place of the run.
        is_found: Whether a search has found it.
        is_on: Whether its box is checked; None if it has no box.
    """

    fields: tuple[Field, ...]
    spoken: str = ""
    note: str = ""
    link: DocumentLink | None = None
    is_now: bool = False
    is_found: bool = False
    is_on: bool | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the fields."""
        return tuple([each.text for each in self.fields])

    @property
    def sentence(self) -> str:
        """The whole row as one text."""
        first, *others = self.texts
        return self.spoken or ", ".join(filter(None, (first, self.note, *others)))


def _no_row(key: Hashable) -> Row:
    raise KeyError(key)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Document:
    """Rows, some with rows below them; each is made when it is needed, as there may be very many.

    Attributes:
        titles: The titles of the columns.
        keys: What identifies the rows of the first level; a row keeps its key from one document to
            the next, so that a view keeps its selection.
        below: The keys of the rows below a row.
        row: Makes the row of a key.
        headings: The keys of rows whose first field has the width of all columns.
        has_boxes: Whether rows have boxes that can be checked.
    """

    titles: tuple[str, ...] = ("",)
    keys: Sequence[Hashable] = ()
    below: Mapping[Hashable, Sequence[Hashable]] = field(default_factory=dict)
    row: Callable[[Hashable], Row] = _no_row
    headings: Sequence[Hashable] = ()
    has_boxes: bool = False

    @property
    def table(self) -> str:
        """All rows with their titles, separated by tabs, as for a spreadsheet."""
        lines = [self.titles, *(self.row(key).texts for key in self.all_keys())]
        return "\n".join("\t".join(line).rstrip("\t") for line in lines)

    def all_keys(self) -> list[Hashable]:
        """The keys of all rows, from top to bottom."""
        found: list[Hashable] = []
        rest = list(reversed(self.keys))
        while rest:
            found.append(rest.pop())
            rest += reversed(self.below.get(found[-1], ()))
        return found


def document_of(titles: tuple[str, ...], rows: Sequence[Row]) -> Document:
    """Return a document of rows that are made already; their keys are their numbers."""
    return Document(titles=titles, keys=range(len(rows)), row=lambda key: rows[cast("int", key)])
