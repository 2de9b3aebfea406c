"""Views show values of a model, not items made in Python, which can be freed twice."""

from __future__ import annotations

import re
from pathlib import Path

import gradviz.viewer

ROOT = Path(gradviz.viewer.__file__).parent
ITEM_CLASSES = (
    "QListWidget",
    "QTableWidget",
    "QTreeWidget",
    "QStandardItem",
)
"""Beginnings of the names of views with items, and of the items."""


def test_no_view_has_items() -> None:
    with_items = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if any(name in path.read_text(encoding="utf-8") for name in ITEM_CLASSES)
    }
    assert with_items == set()


GRIDS = {"inputs/elements/cells_model.py", "inputs/elements/cells_view.py"} | {
    "tensor_view/large/number_table.py"
}
"""Grids of a tensor's elements, which are no rows."""


def test_one_model_and_one_delegate_show_all_rows() -> None:
    own = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if re.search(r"class \w+\((QAbstract\w+Model|Q\w+Delegate)\b", path.read_text("utf-8"))
    }
    assert own == GRIDS | {"rows/rows_model.py", "rows/rows_view.py"}
