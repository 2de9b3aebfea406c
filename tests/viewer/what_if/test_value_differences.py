"""Both runs at a position: the values, their distance, and the sentences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gradviz.analysis.compare.exact_differences import ExactDifferences, compare_exactly, detail_of
from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.viewer.actions import Actions
from gradviz.viewer.theme.theme import APP_THEME, DARK
from gradviz.viewer.what_if.controller import change_text, value_differences_at
from gradviz.viewer.what_if.panel import DifferenceSummary
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.viewer.column_texts import column_texts
from tests.viewer.themes import change_theme


def index_with(**changed: Any) -> TraceIndex:
    kept = {record.id: (record, value) for record, value in LINEAR_TENSORS}
    for name, values in changed.items():
        number = int(name.removeprefix("t"))
        kept[number] = tensor(number, values)
    records = tuple(record for record, _ in kept.values())
    return index_trace(replace(linear_trace(), tensors=records), lambda number: kept[number][1])


@pytest.fixture
def compared(qtbot: QtBot) -> DifferenceSummary:
    owner = QObject()
    widget = DifferenceSummary(APP_THEME, Actions(owner))
    owner.setParent(widget)
    qtbot.addWidget(widget)
    widget.resize(600, 240)
    widget.show()
    return widget


def both() -> tuple[TraceIndex, TraceIndex, ExactDifferences]:
    old, new = index_with(), index_with(t7=[[3.0, 12.0], [3.0, 14.0]])
    return old, new, compare_exactly(old, new)


def test_the_rows_of_a_step() -> None:
    old, new, found = both()
    rows = value_differences_at(old, new, found, TracePosition(step=found.steps[0]))
    apart = [row for row in rows if not row.agrees]
    assert apart
    for row in apart:
        assert row.difference is not None
        assert row.difference.array().tolist() == [[0, 0], [0, 2]]
        assert row.limit == 14
        assert row.comparison == "2 at [1, 1] (16.7%)\n1 of 4 elements"
    equal = next(row for row in rows if row.same)
    assert (equal.difference, equal.comparison) == (None, "equal bit for bit")


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (2.0, 3.0, "1 (50%)"),
        (0.0, 3.0, "3"),
        (0.0, -0.0, "equal value, different bits"),
        (0.5, 9.0, "8.5 (17×)"),
        ([True, False], [True, True], "1 of 2 elements"),
    ],
)
def test_how_far_apart(old: Any, new: Any, text: str) -> None:
    values = tensor(1, old)[1], tensor(1, new)[1]
    assert change_text("differs", detail_of(*values, whole=True)) == text


def test_only_what_was_kept_is_reported() -> None:
    values = tensor(1, [1.0, 2.0])[1], tensor(1, [1.0, 4.0])[1]
    text = change_text("differs", detail_of(*values, whole=False))
    assert text == "2 at [1] (100%)\n1 of the 2 stored elements"


def test_the_sentences(compared: DifferenceSummary) -> None:
    old, new, found = both()
    count = len(new.trace.steps)
    compared.show_run_differences(None, count)
    assert compared.whole.text() == "Comparing the runs…"
    compared.show_run_differences(found, count)
    first, many = found.steps[0], len(found.steps)
    assert compared.whole.text() == f"{many} of {count} steps differ, starting with step {first}."
    compared.show_run_differences(compare_exactly(old, old), count)
    assert compared.whole.text() == f"No differences: all {count} steps are equal bit for bit."
    shorter = index_trace(replace(linear_trace(), steps=tuple(linear_trace().steps[:-1])))
    compared.show_run_differences(compare_exactly(index_trace(linear_trace()), shorter), count - 1)
    assert f"From step {count} on" in compared.whole.text()


def test_the_table_of_a_place_begins_with_what_differs(compared: DifferenceSummary) -> None:
    old, new, found = both()
    rows = value_differences_at(old, new, found, TracePosition(step=found.steps[0]))
    compared.show_place(rows, hidden=False, alone=False)
    table = compared.table
    assert table.model().rowCount() == len(rows)
    differing = sum(not row.agrees for row in rows)
    texts = column_texts(table, 4)
    assert all("at [1, 1]" in text for text in texts[:differing])
    assert set(texts[differing:]) == {"equal bit for bit"}
    assert compared.here.text() == f"{differing} of {len(rows)} values differ here."
    # The first difference can be seen in a low panel too.
    compared.resize(520, 180)
    assert compared.table.height() > 138
    change_theme(DARK)
    assert not table.grab().isNull()


def test_places_without_values(compared: DifferenceSummary) -> None:
    compared.show_place((), hidden=True, alone=False)
    assert "until the answer is revealed" in compared.here.text()
    assert not compared.table.isVisible()
    compared.show_place((), hidden=False, alone=True)
    assert compared.here.text() == "Only the changed run has this step."
    compared.show_place((), hidden=False, alone=False)
    assert compared.here.text() == "There is nothing to compare in this step."


def test_large_and_unusual_values_are_painted(compared: DifferenceSummary) -> None:
    old = index_with(t7=np.full((70, 90), np.nan))
    new = index_with(t7=np.full((70, 90), np.inf))
    found = compare_exactly(old, new)
    rows = value_differences_at(old, new, found, TracePosition(step=found.steps[0]))
    compared.show_place(rows, hidden=False, alone=False)
    assert not compared.table.grab().isNull()
