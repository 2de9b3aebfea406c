"""Statements of a source: line spans, compound headers, executed lines and bound names."""

from __future__ import annotations

import ast
import dis
import gc
import pkgutil
import sys
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from types import CodeType

import pytest

from gradviz.analysis import source_statements
from gradviz.analysis.source_statements import Statement, parse_source, statements_of


def spans(text: str) -> list[tuple[int, int]]:
    return [(each.line, each.last_line) for each in statements_of(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("a = 1\n\n# no\nb = 2", [(1, 1), (4, 4)]),
        ("a = (\n1 +\n2\n)\nb = 1", [(1, 4), (5, 5)]),
        ("a = 1 + \\\n 2\nb = 1", [(1, 2), (3, 3)]),
        ('a = """\n\n"""\nb = 1', [(1, 3), (4, 4)]),
        ("a = 1; b = 2\nc = 3", [(1, 1), (2, 2)]),
        ("a = 1; b = (\n2); c = 3\nd = 4", [(1, 2), (3, 3)]),
        ("if a: b\nelse: c", [(1, 1), (2, 2)]),
        (
            "if (\n a\n # no\n):\n # no\n\n b\nelif c:\n d\nelse:\n e",
            [(1, 4), (7, 7), (8, 8), (9, 9), (11, 11)],
        ),
        ("for i in f(\n 1):\n a\nelse:\n b", [(1, 2), (3, 3), (5, 5)]),
        ("while a:\n b", [(1, 1), (2, 2)]),
        ("with a as b, \\\n  c as d:\n e", [(1, 2), (3, 3)]),
        (
            "try:\n a\nexcept (\n b\n) as c:\n d\nelse:\n e\nfinally:\n f",
            [(1, 1), (2, 2), (3, 5), (6, 6), (8, 8), (10, 10)],
        ),
        ("try:\n a\nexcept* b:\n c", [(1, 1), (2, 2), (3, 3), (4, 4)]),
        (
            "match a:\n # no\n case 1:\n  b\n case (\n  2\n ) if c:\n  d",
            [(1, 1), (3, 3), (4, 4), (5, 7), (8, 8)],
        ),
        ("@a(\n 1)\n@b\ndef f(\n c,\n d=2,\n):\n 'doc'\n return c", [(1, 7), (8, 8), (9, 9)]),
        ("@a\nclass C(\n D,\n):\n e = 1\n\n def f(self): pass", [(1, 4), (5, 5), (7, 7)]),
        ("f = lambda: (\n a\n)\nb = [\n c\n for c in d\n]", [(1, 3), (4, 7)]),
        (
            "async def f():\n async for a in b:\n  await c\n async with d: pass",
            [(1, 1), (2, 2), (3, 3), (4, 4)],
        ),
    ],
)  # fmt: skip
def test_spans(text: str, found: list[tuple[int, int]]) -> None:
    assert spans(text) == found


@pytest.mark.parametrize("text", ["a = (", "a\0b", "(" * 1000, "\tif"])
def test_what_cannot_be_parsed_has_no_statements(text: str) -> None:
    statements = statements_of(text)
    assert len(statements) == 0
    assert statements.at(1) is None
    assert statements.executable() == frozenset()


def test_the_statement_at_a_line() -> None:
    statements = statements_of("if a:\n b = (\n 1)\n# no\nelse:\n c\n")
    found = [statements.at(line) for line in range(9)]
    assert [each and each.line for each in found] == [None, 1, 2, 2, None, None, 6, None, None]


@pytest.mark.parametrize(
    ("text", "binds"),
    [
        ("a = b = c", ("a", "b")),
        ("(a, *b), c = d", ("a", "b", "c")),
        ("a[b] = c.d = e", ()),
        ("a: int = 1", ("a",)),
        ("a: int", ()),
        ("a += 1", ("a",)),
        ("a.b += 1", ()),
        ("import a.b, c as d", ("a", "d")),
        ("from a import b as c", ("c",)),
        ("with a as b, c as (d, e):\n pass", ("b", "d", "e")),
        ("def a(): b = 1", ()),
        ("def a():\n b = 1", ("a",)),
        ("class a:\n b = 1", ("a",)),
        ("for a in b:\n pass", ()),
        ("f(a := 1)", ()),
        ("a = 1; b = 2", ()),
        ("a = [b for b in c]", ("a",)),
    ],
)
def test_what_is_certainly_bound(text: str, binds: tuple[str, ...]) -> None:
    assert sorted(next(iter(statements_of(text))).binds) == sorted(binds)


def one(text: str) -> Statement:
    (statement,) = statements_of(text)
    return statement


def test_what_else_is_known() -> None:
    assert one("for a in b: c").repeats
    assert one("while a: b").repeats
    assert not one("if a: b").repeats
    assert not any(each.repeats for each in statements_of("for a in b:\n c"))
    assert one("if a: return").returns
    assert one("a = yield").resumes
    assert one("yield from a").resumes
    assert one("await a").resumes
    assert one("yield a; b").resumes
    assert not one("yield a").resumes
    assert not one("a = 1").resumes


def test_what_does_not_run() -> None:
    inner = ' """Doc."""\n global b\n c: int\n b = 1\n a.d: int\n'
    text = f'"""Doc."""\ndef f(a):\n{inner}class C:\n """Doc."""\n c: int'
    assert sorted(statements_of(text).executable()) == [1, 2, 6, 7, 8, 9, 10]
    assert sorted(statements_of('def f():\n """Doc."""').executable()) == [1, 2]


def lines_of(code: CodeType) -> set[int]:
    own = {line for _, line in dis.findlinestarts(code) if line}
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return own.union(*map(lines_of, inner))


def library() -> list[str]:
    names = [each.name for each in pkgutil.iter_modules([str(Path(dis.__file__).parent)])]
    return sorted(name for name in names if not name.startswith("_") and len(name) % 6 == 0)


@pytest.mark.parametrize("name", library())
def test_each_line_with_code_belongs_to_a_statement_that_runs(name: str) -> None:
    spec = find_spec(name)
    if spec is None or not str(spec.origin).endswith(".py"):
        pytest.skip("not written in Python")
    text = Path(str(spec.origin)).read_text(encoding="utf-8", errors="replace")
    statements = statements_of(text)
    for line in lines_of(compile(text, name, "exec")):
        statement = statements.at(line)
        assert statement is not None, line
        assert statement.runs, line


PIECES = """
@deco
@other(1)
def decorated(): pass
def quoted():
    '''A docstring with
def no_definition(): pass
@no_decorator
    '''
class Empty: pass
async def last(): return (
1)
"""


def test_long_texts_are_parsed_in_short_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths: list[int] = []
    parse = ast.parse

    def parse_part(text: str, *options: str) -> ast.Module:
        lengths.append(len(text.lstrip("\n")))
        return parse(text, *options)

    text = f"import a\n{PIECES * 400}"
    expected = ast.dump(parse(text), include_attributes=True)
    monkeypatch.setattr(ast, "parse", parse_part)
    # A cut may be inside of a string, so that two parts are parsed at once.
    for most in (20_000, 1):
        monkeypatch.setattr(source_statements, "_PART_CHARACTERS", most)
        lengths.clear()
        parse_source.cache_clear()
        parsed = parse_source(text)
        assert parsed is not None
        assert ast.dump(parsed, include_attributes=True) == expected
        assert max(lengths) < 2 * most + len(PIECES)
    assert parse_source(f"{text}def wrong(") is None


class Slow:
    itself: Slow

    def __del__(self) -> None:
        for _ in range(50):
            pass


def test_threads_may_parse_at_once() -> None:
    text = "def f():\n" + "    x = [1, (2, {3: 4})]\n" * 300
    failed: list[BaseException] = []

    def parse(number: int) -> None:
        try:
            for at in range(10):
                # A collection in the middle of parsing runs Python, which lets the others parse.
                cycle = Slow()
                cycle.itself = cycle
                del cycle
                assert parse_source(f"{text}y{number} = {at}\n") is not None
        except SystemError as error:
            failed.append(error)

    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(50)
    try:
        threads = [Thread(target=parse, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        gc.set_threshold(*thresholds)
        sys.setswitchinterval(interval)
    assert failed == []


@pytest.mark.parametrize("count", [300, 1_000, 2_900, 3_100, 100_000])
@pytest.mark.parametrize("form", ["{deep}1", "x{calls}", "x{parts}", "x{sums}"])
def test_a_tree_that_is_too_deep_to_be_walked_is_none(form: str, count: int) -> None:
    deep = form.format(deep="-" * count, calls="()" * count, parts=".a" * count, sums="+x" * count)
    text = f"import torch\ndef f():\n    y = {deep}\n"
    assert parse_source(text) is None
    assert len(statements_of(text)) == 0
    assert parse_source(text.replace(deep, form.format(deep="-", calls="", parts="", sums="")))


def test_what_is_parsed_can_be_printed_and_dumped() -> None:
    tree = parse_source("x = " + "-" * 240 + "1")
    assert tree is not None
    assert ast.unparse(tree).count("-") == ast.dump(tree).count("USub") == 240
