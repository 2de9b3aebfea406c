"""The texts of a table."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractItemView


def column_texts(table: QAbstractItemView, column: int) -> list[str]:
    """The text of each cell in a column."""
    model = table.model()
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]
