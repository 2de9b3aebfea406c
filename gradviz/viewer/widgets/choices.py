"""A list model of choices that are created on first use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QWidget

from gradviz.model.palette import Role

CHOICE = Qt.ItemDataRole.UserRole
"""Role that returns the `Choice` itself."""

Place = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One row of a choice list.

    Attributes:
        title: The main text.
        note: A second, muted line; may be empty.
        end: Text at the right end, such as a key or a step; may be empty.
        sign: Color of the icon before the title; None for no icon.
        round_sign: Whether the icon is a disc rather than a square.
        usable: Whether it can be chosen now.
        spoken: Replaces title, note and end for screen readers; may be empty.
    """

    title: str
    note: str = ""
    end: str = ""
    sign: Role | None = None
    round_sign: bool = False
    usable: bool = True
    spoken: str = ""

    @property
    def sentence(self) -> str:
        """The accessible text of the row."""
        return self.spoken or ", ".join(text for text in (self.title, self.note, self.end) if text)


class ChoiceModel(QAbstractListModel):
    """A list of choices that are created on first use."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._count = 0
        self._make: Callable[[int], Choice] = _nothing
        self._made: dict[int, Choice] = {}

    def show(self, count: int, make: Callable[[int], Choice]) -> None:
        """Replace the rows.

        Args:
            count: Number of rows.
            make: Returns the row of a number, from 0.
        """
        self.beginResetModel()
        self._count, self._make, self._made = count, make, {}
        self.endResetModel()

    def choice(self, row: int) -> Choice:
        """Return the choice in a row."""
        if row not in self._made:
            self._made[row] = self._make(row)
        return self._made[row]

    def rowCount(self, parent: Place = _ROOT) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else self._count

    def data(self, index: Place, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the title, the accessible text, or the `Choice` itself."""
        if not index.isValid():
            return None
        choice = self.choice(index.row())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return choice.title
            case Qt.ItemDataRole.AccessibleTextRole:
                return choice.sentence
            case _:
                return choice if role == CHOICE else None


def _nothing(row: int) -> Choice:
    raise IndexError(row)
