"""A document: rows of fields, as a table and as sentences."""

from __future__ import annotations

from collections.abc import Hashable

import pytest

from gradviz.document.document import Document, Field, Row


def row(key: Hashable) -> Row:
    return Row(fields=(Field(text=str(key)), Field(), Field(text=f"of {key}")))


def test_a_row_is_a_sentence_without_its_empty_fields() -> None:
    assert row("x").sentence == "x, of x"
    assert Row(fields=row("x").fields, spoken="said").sentence == "said"


def test_a_table_has_every_row_below_the_one_it_belongs_to() -> None:
    shown = Document(titles=("a", "b", "c"), keys=(1, 2), below={1: (3, 4), 3: (5,)}, row=row)
    assert shown.all_keys() == [1, 3, 5, 4, 2]
    assert shown.table.splitlines()[:3] == ["a\tb\tc", "1\t\tof 1", "3\t\tof 3"]


def test_without_a_way_to_make_rows_there_are_none() -> None:
    with pytest.raises(KeyError):
        Document(keys=(1,)).row(1)
