"""Rows to choose from, made when they are looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QWidget

from gradviz.model.palette import Role

CHOICE = Qt.ItemDataRole.UserRole
"""Under this role a model gives the `Choice` itself."""

Place = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One row.

    Attributes:
        title: What it is.
        note: A second, quieter line; may be empty.
        end: At the right end: a key, a step; may be empty.
        sign: Colour of the small sign before the title; None for no sign.
        round_sign: Whether the sign is a disc, else a square.
        usable: Whether it can be chosen now.
        spoken: What a screen reader says instead of title, note and end; may be empty.
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
        """The whole row in words."""
        return self.spoken or ", ".join(text for text in (self.title, self.note, self.end) if text)


class ChoiceModel(QAbstractListModel):
    """Rows that are made when they are looked at."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._count = 0
        self._make: Callable[[int], Choice] = _nothing
        self._made: dict[int, Choice] = {}

    def show(self, count: int, make: Callable[[int], Choice]) -> None:
        """Shows other rows.

        Args:
            count: How many there are.
            make: Gives the row of a number from 0.
        """
        self.beginResetModel()
        self._count, self._make, self._made = count, make, {}
        self.endResetModel()

    def choice(self, row: int) -> Choice:
        """One of the rows."""
        if row not in self._made:
            self._made[row] = self._make(row)
        return self._made[row]

    def rowCount(self, parent: Place = _ROOT) -> int:
        """How many rows there are."""
        return 0 if parent.isValid() else self._count

    def data(self, index: Place, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The title, the whole sentence for screen readers, and the row itself."""
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
