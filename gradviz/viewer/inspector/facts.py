"""What the inspector shows, as plain values: sections of rows. No widgets here."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from gradviz.model.item import Item
from gradviz.viewer.places import Crumb
from gradviz.viewer.widgets.pill import Tag, Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueRow:
    """One named value.

    Attributes:
        name: As it is shown.
        item: The value.
        tags: Signs after the name.
        scale: Word that rows share whose colours are compared; empty where none are.
    """

    name: str
    item: Item
    tags: tuple[Tag, ...] = ()
    scale: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRow:
    """A value before and after the engine touched it.

    Attributes:
        before: As the user's code made or would get it.
        after: What became of it.
        change: What was done, in a few words.
        tone: How much that matters.
    """

    before: ValueRow
    after: ValueRow
    change: str
    tone: Tone = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRow:
    """A line or block of text.

    Attributes:
        text: Shown as it is.
        block: Whether it is source, a message or a repr: of equal characters, on its own ground.
        tone: ``error`` and ``warning`` stand out, everything else is ordinary.
    """

    text: str
    block: bool = False
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepsRow:
    """Steps to go to.

    Attributes:
        text: What they are.
        numbers: Of the steps.
    """

    text: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacesRow:
    """Places inside of a step to go to.

    Attributes:
        text: What they are.
        places: Each with what it is called.
    """

    text: str
    places: tuple[Crumb, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenRow:
    """A value that a room is to guess before it is shown.

    Attributes:
        name: As it is shown; neither its kind nor its shape is told.
    """

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleRow:
    """The colour scale of values that are compared, which can be one for all of them.

    Attributes:
        scale: Word that their rows have.
        names: What the values are called.
    """

    scale: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreRow:
    """Rows that are not shown, as there are very many.

    Attributes:
        key: Of their section.
        count: How many.
    """

    key: str
    count: int


Row = ValueRow | ChangeRow | TextRow | StepsRow | PlacesRow | HiddenRow | ScaleRow | MoreRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Rows under one title.

    Attributes:
        key: Stable word by which the inspector remembers whether it is folded.
        title: As it is shown.
        hint: A few words after the title; may be empty.
        rows: From the top.
        folded: Whether it is closed until the user opens it.
    """

    key: str
    title: str
    hint: str = ""
    rows: tuple[Row, ...] = ()
    folded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything that is shown at one moment.

    Attributes:
        title: Of the node or the function.
        place: Like ``step 9 of 14``.
        sentence: What happens.
        sections: From the top.
        tags: Signs beside the title.
        crumbs: The way down from the step to the place inside it; empty for a step as a whole.
    """

    title: str
    place: str
    sentence: str
    sections: tuple[Section, ...]
    tags: tuple[Tag, ...] = ()
    crumbs: tuple[Crumb, ...] = ()


def tr(text: str) -> str:
    """The text in the user's language."""
    return QCoreApplication.translate("Inspector", text)


def values(items: tuple[Item, ...]) -> tuple[ValueRow, ...]:
    """A row for each item under its own name."""
    return tuple(ValueRow(name=item.name, item=item) for item in items)


def gradient_name(name: str) -> str:
    """How the gradient for an argument is called, as in torch's own examples: ``grad_weight``."""
    return name if name.startswith("grad") else f"grad_{name}"
