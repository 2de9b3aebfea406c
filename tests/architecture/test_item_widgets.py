"""Lists show values of a model, not items made in Python, which can be freed twice."""

from __future__ import annotations

from pathlib import Path

import gradviz.viewer

ROOT = Path(gradviz.viewer.__file__).parent

ITEM_TABLES = {
    "compare/differences_table.py",
    "jacobians/report/trials_list.py",
    "library/panel.py",
    "provenance/element_patch.py",
    "provenance/version_table.py",
    "training/training_table.py",
}
"""Tables and the tree that still have items, of which no fault is known; no others may come."""


def modules_with(*names: str) -> set[str]:
    paths = {path: path.read_text(encoding="utf-8") for path in ROOT.rglob("*.py")}
    return {
        path.relative_to(ROOT).as_posix()
        for path, text in paths.items()
        if any(name in text for name in names)
    }


def test_no_list_has_items() -> None:
    assert modules_with("QListWidgetItem", "import QListWidget", "(QListWidget)") == set()


def test_no_other_table_or_tree_has_items() -> None:
    assert modules_with("QTableWidgetItem", "QTreeWidgetItem") == ITEM_TABLES
