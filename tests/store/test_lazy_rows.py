"""Rows are arrays of fields; mismatching values are refused with their place."""

import json
import math
import re
from typing import Any

import pytest
from msgspec import structs
from msgspec.structs import replace

from gradviz.model.codec import CodecError, encode, float_to_json
from gradviz.model.columns import TensorColumns
from gradviz.model.console import ConsoleText
from gradviz.model.graph import Node
from gradviz.model.item import Item
from gradviz.model.jacobian_report import WorstElement
from gradviz.model.source import Location
from gradviz.model.step import Step
from gradviz.model.tensor import TensorRecord
from gradviz.model.validation.trace_rules import TensorRules
from gradviz.store import lazy_rows
from gradviz.store.lazy_rows import LazyRows
from gradviz.store.row_codec import row_reader, row_text
from tests.builders import linear_trace
from tests.model.test_codec import WORST

TRACE = linear_trace()


def test_rows_are_arrays_of_fields_and_read_as_they_were() -> None:
    groups = (TRACE.nodes, TRACE.edges, TRACE.saved, TRACE.calls, TRACE.tensors, TRACE.console)
    records = [WORST, *(each for group in groups for each in group)]
    for record in records:
        assert json.loads(row_text(record)) == json.loads(json.dumps(encode(record)))
        assert row_reader(type(record))(row_text(record)) == record
    for step in TRACE.steps:
        assert json.loads(row_text(step))[0] == type(step).__name__
        assert row_reader(Step)(row_text(step)) == step  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0.0, -0.0, 1e-5, 1e16, 0.1, math.inf, -math.inf, math.nan])
def test_floats_are_written_as_python_writes_them(value: float) -> None:
    record = structs.replace(WORST, excess=value, numerical=complex(value, -0.0))
    text = row_text(record)
    written = repr(value) if math.isfinite(value) else json.dumps(float_to_json(value))
    assert text.endswith(f",[{written},-0.0],{written}]")
    back = row_reader(WorstElement)(text)
    assert repr((back.excess, back.numerical)) == repr((value, record.numerical))


def test_unusual_strings_survive() -> None:
    for text in ("%s %", "\ud800", '"\\\x00', "ε\U0001f600"):
        item = Item(name=text, kind="none", text=text)
        assert row_reader(Item)(row_text(item)) == item
        assert row_text(item).isascii()


_REST = "null," * 11 + '""' + ",null"
"""The rest of a tensor's row."""


@pytest.mark.parametrize(
    ("kind", "row", "part"),
    [
        (ConsoleText, '["1",null,"stdout","run","x"]', r"ConsoleText: .*int.*str.*\[0\]"),
        (ConsoleText, '[true,null,"stdout","run","x"]', r"int.*bool.*\[0\]"),
        (ConsoleText, '[1,1.0,"stdout","run","x"]', r"int.*float.*\[1\]"),
        (ConsoleText, '[1,null,"stdin","run","x"]', r"'stdin' - at .*\[2\]"),
        (ConsoleText, '[1,null,[],"run","x"]', r"str.*array.*\[2\]"),
        (ConsoleText, '[1,null,"stdout","run",null]', r"str.*null.*\[4\]"),
        (ConsoleText, '[1,null,"stdout","run"]', "length 5, got 4"),
        (ConsoleText, '[1,null,"stdout","run","x",1]', "at most length 5"),
        (ConsoleText, '{"id":1}', "ConsoleText: .*array.*object"),
        (ConsoleText, '"abcde"', "ConsoleText: .*array.*str"),
        (ConsoleText, "7", "ConsoleText: .*array.*int"),
        (ConsoleText, '[1,null,"stdout","run","x"]7', "Extra data"),
        (ConsoleText, "", "Expecting value"),
        (ConsoleText, "[1", "Expecting"),
        (ConsoleText, b"[]", "is not text"),
        (Node, '[1,"n","leaf",null,null,null,"",null,null,null]', r"'leaf' - at .*\[2\]"),
        (TensorRecord, f'[1,"f",[1,"2"],{_REST}]', r"int.*str.*\[2\]\[1\]"),
        (TensorRecord, f'[1,"f","12",{_REST}]', r"array.*str.*\[2\]"),
        (Location, '[null,"a.py","1","f"]', r"Location: .*int.*str.*\[2\]"),
        (WorstElement, '[1,1,[],[],[1,2],[1],0]', r"not a number - at .*\[5\]"),
        (WorstElement, '[1,1,[],[],[1,2],[1,"nan"],0]', r"'nan' is not a number.*\[5\]"),
        (WorstElement, '[1,1,[],[],[1,2],[1,true],0]', r"True is not a number.*\[5\]"),
        pytest.param(
            *(WorstElement, f'[1,1,[],[],[1,2],[1,{"9" * 400}],0]', r"too large - at .*\[5\]"),
            id="float",
        ),
        (Step, '["Popen",1]', "'Popen'"),
        (Step, "[]", "^Expected .* at least length 1"),
        (Step, '[["NodeStep"]]', r"`str` - at `\$\[0\]"),
        (Step, '{"type":"PassEndStep"}', "array.*object"),
        (Step, '["PassEndStep",1,2]', "at least length 5, got 3"),
        (Step, '["PassEndStep",1,2,3,[["x"]],[]]', r"\[4\]\[0\]"),
        (Step, '["PassEndStep",1,2,3,{},[]]', r"array.*object.*\[4\]"),
        (Step, '["PassEndStep",1,2,null,[],[]]', r"int.*null.*\[3\]"),
    ],
)  # fmt: skip
def test_wrong_rows_are_refused(kind: Any, row: Any, part: str) -> None:
    with pytest.raises(ValueError, match=part) as caught:
        row_reader(kind)(row)
    assert isinstance(caught.value, CodecError | json.JSONDecodeError)


@pytest.fixture(params=[10, 3], ids=["short", "long"])
def numbers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> LazyRows[int]:
    monkeypatch.setattr(lazy_rows, "_MOST_KEPT", request.param)
    return LazyRows([str(each) for each in range(6)], int)


def test_rows_are_a_sequence(numbers: LazyRows[int]) -> None:
    for _ in range(2):
        assert [numbers[place] for place in (5, 0, -1, -6)] == [5, 0, 5, 0]
        assert numbers[1:4] == (1, 2, 3)
        assert numbers[::-2] == (5, 3, 1)
        assert list(numbers) == [0, 1, 2, 3, 4, 5]
        assert (len(numbers), 4 in numbers, 6 in numbers) == (6, True, False)
    for place in (6, -7):
        with pytest.raises(IndexError):
            numbers[place]


def test_rows_equal_what_has_equal_records(numbers: LazyRows[int]) -> None:
    plain = (0, 1, 2, 3, 4, 5)
    assert numbers == plain
    assert plain == numbers
    assert numbers != (0, 1, 2, 3, 4)
    assert numbers != (0, 1, 2, 3, 4, 6)
    assert numbers != 7


def test_a_long_table_recreates_records(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def read(text: str) -> str:
        made.append(text)
        return text

    monkeypatch.setattr(lazy_rows, "_MOST_KEPT", 2)
    table = LazyRows(["a", "b", "c"], read)
    assert [table[0], table[0], *table] == ["a", "a", "a", "b", "c"]
    assert made == ["a", "a", "b", "c"]
    short = LazyRows(["d", "e"], read)
    made.clear()
    assert [*short, *short, short[1]] == ["d", "e", "d", "e", "e"]
    assert made == ["d", "e"]


def similar_tensors() -> list[TensorRecord]:
    """Tensors of three kinds, each several times with other numbers."""
    whole = replace(TRACE.tensors[0], version=0)
    sparse = replace(whole, storage=None, version=None)
    half = replace(whole, dtype="float16", note='a, 1,2,"whole" note')
    many = [replace(each, id=0) for each in (whole, sparse, half) for _ in range(4)]
    return [
        replace(
            each,
            id=at,
            storage=each.storage and at + 5,
            version=None if each.version is None else at,
        )
        for at, each in enumerate(many, 1)
    ]


def checked_rows(texts: list[Any], decoded: list[str] | None = None) -> TensorRules:
    """Rules that have checked the tensors of these rows."""
    read, log = row_reader(TensorRecord), [] if decoded is None else decoded

    def logged(text: str) -> TensorRecord:
        log.append(text)
        return read(text)

    rules = TensorRules(set())
    rules.check_all(lazy_rows.LazyTensors(texts, logged), lambda: None)
    return rules


def assert_same_columns(found: TensorRules, expected: TensorRules) -> None:
    mine, theirs = found.columns.built(), expected.columns.built()
    for name in TensorColumns.__struct_fields__:
        assert list(getattr(mine, name)) == list(getattr(theirs, name)), name


def test_similar_tensors_are_decoded_once() -> None:
    tensors = similar_tensors()
    decoded: list[str] = []
    found = checked_rows([row_text(each) for each in tensors], decoded)
    expected = TensorRules(set())
    expected.check_all(tensors, lambda: None)
    # One whole tensor, four without a storage, and four with a note that whole ones may not have.
    assert len(decoded) == 9
    assert found.problems == expected.problems
    assert len(found.problems) == 4
    assert_same_columns(found, expected)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[4,", "[3,"),
        ("[4,", "[04,"),
        ("[4,", "[-4,"),
        ("[4,", "[4.0,"),
        ("[4,", "[ 4,"),
        (',9,4,"whole"', ',0,4,"whole"'),
        (',9,4,"whole"', ',9,04,"whole"'),
        (',9,4,"whole"', ',9,true,"whole"'),
        (',9,4,"whole"', ',9,9223372036854775808,"whole"'),
        (',9,4,"whole"', ',"9,4","whole"'),
        ('"",null]', '"",null]]'),
        ('"",null]', '"",-1]'),
    ],
)
def test_a_row_like_no_other_is_treated_as_without_others(old: str, new: str) -> None:
    texts = [row_text(each) for each in similar_tensors()[:4]]
    assert old in texts[3]
    texts[3] = texts[3].replace(old, new)
    read = row_reader(TensorRecord)
    expected = TensorRules(set())
    try:
        expected.check_all([read(text) for text in texts], lambda: None)
    except ValueError as error:
        with pytest.raises(type(error), match=re.escape(str(error))):
            checked_rows(texts)
        return
    found = checked_rows(texts)
    assert found.problems == expected.problems
    assert_same_columns(found, expected)


def test_a_row_that_is_no_text_is_refused() -> None:
    with pytest.raises(CodecError, match="not text"):
        checked_rows([row_text(similar_tensors()[0]), 5])


def test_shapes_of_similar_tensors_are_found() -> None:
    tensors = similar_tensors()[:4]
    rules = TensorRules({3})
    texts = [row_text(each) for each in tensors]
    rules.check_all(lazy_rows.LazyTensors(texts, row_reader(TensorRecord)), lambda: None)
    assert rules.shapes == {3: tensors[2].shape}
