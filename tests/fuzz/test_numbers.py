"""Every number in a trace is refused where it cannot be, and harmless where it can."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import typing
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gradviz.model.codec import CodecError, Natural, hints_of, is_record
from gradviz.store import schema
from gradviz.store.errors import TraceError
from gradviz.store.reader import open_trace
from gradviz.store.row_codec import row_reader
from tests.fuzz.case import Change, FuzzCase, intact_trace, trace_names
from tests.fuzz.outputs import show_all

KINDS: dict[str, Any] = {"tensor": schema.TENSOR_KIND, **schema.KINDS}
NUMBERS = (Natural, Natural | None, tuple[Natural, ...], tuple[Natural, ...] | None)


@dataclasses.dataclass(frozen=True, kw_only=True)
class NumberField:
    """A field with a number, in one row that has it."""

    trace: str
    table: str
    key: int
    text: str
    path: tuple[int, ...]

    def with_number(self, number: int) -> str:
        data = json.loads(self.text)
        holder, *more = data, *self.path
        for at in more[:-1]:
            holder = holder[at]
        old = holder[more[-1]]
        holder[more[-1]] = [number, *old[1:]] if isinstance(old, list) else number
        return json.dumps(data)

    def change(self, number: int) -> Change:
        statement = f"UPDATE {self.table} SET json = ? WHERE id = ?"
        return ("sql", statement, (self.with_number(number), self.key))


def numbers_in(kind: Any, data: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Each number in a row: name of its field, and its path."""
    members = [each for each in typing.get_args(kind) if is_record(each)]
    if data is None:
        return
    if typing.get_origin(kind) is tuple:
        for at, each in enumerate(data):
            yield from numbers_in(typing.get_args(kind)[0], each, (*path, at))
    elif len(members) == 1:
        yield from numbers_in(members[0], data, path)
    elif members or is_record(kind):
        named = {each.__name__: each for each in members}
        one = named[data[0]] if members else kind
        # An older trace ends before the fields that were added later.
        for at, (name, hint) in zip(
            range(bool(members), len(data)), hints_of(one).items(), strict=False
        ):
            if hint in NUMBERS and data[at] not in (None, []):
                yield f"{one.__name__}.{name}", (*path, at)
            else:
                yield from numbers_in(hint, data[at], (*path, at))


@cache
def fields() -> dict[str, NumberField]:
    found: dict[str, NumberField] = {}
    for trace in sorted(trace_names(), key=lambda each: len(intact_trace(each))):
        connection = sqlite3.connect(":memory:")
        connection.deserialize(intact_trace(trace))
        for table, kind in KINDS.items():
            for key, text in connection.execute(f"SELECT id, json FROM {table}"):
                for name, path in numbers_in(kind, json.loads(text)):
                    found.setdefault(
                        name, NumberField(trace=trace, table=table, key=key, text=text, path=path)
                    )
        connection.close()
    return found


@pytest.mark.parametrize("number", [-1, 1 << 63])
def test_no_number_is_negative_or_too_large(number: int) -> None:
    assert len(fields()) > 100
    for field in fields().values():
        with pytest.raises(CodecError, match=r"Expected `int` [<>]= \d+ - at"):
            row_reader(KINDS[field.table])(field.with_number(number))


@pytest.mark.parametrize("number", [pytest.param(10**9, marks=pytest.mark.sweep), (1 << 63) - 1])
@pytest.mark.parametrize("trace", trace_names())
def test_a_large_number_is_refused_or_harmless(trace: str, number: int, tmp_path: Path) -> None:
    path, accepted = tmp_path / "run.gradviz", []
    for field in fields().values():
        if field.trace == trace:
            FuzzCase(trace=trace, changes=(field.change(number),)).write(path)
            try:
                with open_trace(path) as reader:
                    reader.trace()
            except TraceError:
                continue
            accepted.append(field)
    rows: dict[tuple[str, int], Change] = {}
    for field in accepted:
        rows[field.table, field.key] = field.change(number)
    FuzzCase(trace=trace, changes=tuple(rows.values())).write(path)
    show_all(path, draw=False)
