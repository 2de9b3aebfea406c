"""Content of the inspector as plain data: sections of rows, without widgets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.messages import say
from gradviz.document.location_text import Breadcrumb
from gradviz.document.tag import PillTone, Tag
from gradviz.model.item import Item


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueRow:
    """One named value.

    Attributes:
        name: The name to show.
        item: The value.
        tags: Tags after the name.
    """

    name: str
    item: Item
    tags: tuple[Tag, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRow:
    """A value before and after a change.

    Attributes:
        before: The value before the change.
        after: The value after the change.
        change: The change in a few words.
        tone: Importance of the change.
    """

    before: ValueRow
    after: ValueRow
    change: str
    tone: PillTone = "warning"

    @property
    def is_same(self) -> bool:
        """Whether the value went on as it is, so that one picture can show both."""
        return self.before.item.tensor == self.after.item.tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRow:
    """A line or block of text.

    Attributes:
        text: The text to show.
        block: Whether it is source, a message or a repr, shown in a fixed-width font in a box.
        tone: ``error`` and ``warning`` stand out from ordinary text.
    """

    text: str
    block: bool = False
    tone: PillTone = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacesRow:
    """Links to steps, or to places inside of them.

    Attributes:
        text: A label for the places.
        places: The places with their names.
    """

    text: str
    places: tuple[Breadcrumb, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenRow:
    """A value that Quiz Mode hides.

    Attributes:
        name: The name to show; kind and shape stay hidden.
    """

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleRow:
    """The color scale of the values of a step, which the user can make a shared one.

    Attributes:
        names: Names of the values.
    """

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreRow:
    """The rows of a long section that are not shown yet.

    Attributes:
        key: Key of the section.
        count: Number of hidden rows.
    """

    key: str
    count: int


FactRow = ValueRow | ChangeRow | TextRow | PlacesRow | HiddenRow | ScaleRow | MoreRow


@dataclass(frozen=True, slots=True, kw_only=True)
class FactSection:
    """Rows under a title.

    Attributes:
        key: Identifier under which the inspector saves whether the section is folded.
        title: The title to show.
        hint: A few words after the title; may be empty.
        becomes: The title of what its values become, in their rows; empty if none do.
        rows: The rows, from the top.
        folded: Whether it is folded until the user unfolds it.
    """

    key: str
    title: str
    hint: str = ""
    becomes: str = ""
    rows: tuple[FactRow, ...] = ()
    folded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectorFacts:
    """Everything that the inspector shows at one moment.

    Attributes:
        title: Name of the node or the function.
        place: Position in the run, like ``step 9 of 14``.
        sentence: What happens, as a sentence.
        sections: The sections, from the top.
        tags: Tags beside the title.
        crumbs: The path from the step to the place inside it; empty for a whole step.
    """

    title: str
    place: str
    sentence: str
    sections: tuple[FactSection, ...]
    tags: tuple[Tag, ...] = ()
    crumbs: tuple[Breadcrumb, ...] = ()


def value_rows(rows: Iterable[FactRow]) -> Iterator[ValueRow]:
    """The values of some rows; both of a change."""
    for row in rows:
        pair = (row.before, row.after) if isinstance(row, ChangeRow) else (row,)
        yield from (each for each in pair if isinstance(each, ValueRow))


def sections_of_values(sections: Iterable[FactSection]) -> Iterator[FactSection]:
    """The sections that have values, without their other rows.

    What the values of a section become is a section of its own, without what goes on as it is.
    """
    for section in sections:
        changed = [row for row in section.rows if isinstance(row, ChangeRow)]
        apart = {id(row.after) for row in changed if section.becomes or row.is_same}
        rows = tuple([row for row in value_rows(section.rows) if id(row) not in apart])
        if rows:
            yield replace(section, rows=rows)
        later = tuple([row.after for row in changed if section.becomes and not row.is_same])
        if later:
            yield replace(section, key=f"{section.key}-becomes", title=section.becomes, rows=later)


def values(items: tuple[Item, ...]) -> tuple[ValueRow, ...]:
    """One row for each item, under its own name."""
    return tuple(ValueRow(name=item.name, item=item) for item in items)


def steps_row(text: str, numbers: Iterable[int]) -> PlacesRow:
    """Links to steps after a label."""
    places = ((say("place.step", number=each), TracePosition(step=each)) for each in numbers)
    return PlacesRow(text=text, places=tuple(Breadcrumb(*each) for each in places))
