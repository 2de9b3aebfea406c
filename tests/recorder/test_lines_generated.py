"""The lines of generated functions are those that a plain ``sys.settrace`` sees."""

from __future__ import annotations

import itertools
import linecache
import tempfile
from pathlib import Path
from typing import Any

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.analysis.source_statements import statements_of
from tests.recorder.lines_oracle import Oracle, recorded
from tests.recorder.recorded_run import record_run

_NUMBERS = itertools.count()

EXPRESSIONS = st.sampled_from(
    [
        "n + 1",
        "(\n n\n + 2\n)",
        "len(str(\n n))",
        "n if n > 2 else (\n 1)",
        "call(n)",
        "call(\n n,\n)",
    ]
)
SIMPLE = st.one_of(
    EXPRESSIONS.map(lambda text: f"n = {text}"),
    EXPRESSIONS.map(lambda text: f"n, m = {text}, 1"),
    EXPRESSIONS.map(lambda text: f"items = [\n each\n for each in range({text} % 3)\n]"),
    st.sampled_from(
        [
            "pass",
            "n += 1; m = n",
            "x = x * 1",
            "x = x.mul(\n 1\n)",
            "f = lambda v: (\n v)\nn = f(n)",
            "total = sum(\n each for each in (1, n))",
            "assert n is not None, (\n 'never')",
            "fails(n)",
            "'a string'",
            "m = n \\\n + 1",
        ]
    ),
)
HEADS = st.sampled_from(
    [
        ("if n > 1:", "else:"),
        ("if (\n n\n == 2\n):", "elif n:"),
        ("for i in range(2):", "else:"),
        ("for i in (\n 1,\n n,\n):", None),
        ("for i in range(3):\n if i == 1:\n  continue", None),
        ("while next(fuel) and n < 3:\n n += 1", "else:"),
        ("while next(fuel):\n n += 1\n if n > 2:\n  break", None),
        ("with nothing() as m:", None),
        ("with nothing(), \\\n  nothing():", None),
        ("with suppress(ValueError):", None),
        ("try:", "except ValueError:"),
        ("try:", "except (\n KeyError,\n ValueError,\n) as error:"),
        ("try:", "finally:"),
        ("match n:\n case 1:\n  pass\n case k if (\n  k > 2):", None),
    ]
)


def indented(text: str) -> str:
    return "\n".join(f" {line}" for line in text.splitlines())


def compound(parts: tuple[tuple[str, str | None], list[str], list[str]]) -> str:
    (head, other), body, rest = parts
    lines = [head]
    inner = "\n".join(body)
    # Of a head with more levels, the body lies in the innermost.
    lines.append(indented(indented(inner)) if head.startswith("match") else indented(inner))
    if other is not None:
        lines += [other, indented("\n".join(rest))]
    return "\n".join(lines)


BLOCKS = st.recursive(
    SIMPLE,
    lambda inner: st.builds(
        compound,
        st.tuples(
            HEADS,
            st.lists(inner, min_size=1, max_size=3),
            st.lists(inner, min_size=1, max_size=2),
        ),
    ),
    max_leaves=8,
)

TEMPLATE = """
import torch
from contextlib import nullcontext as nothing, suppress
from itertools import chain, repeat

def call(
    value,
):
    return value

def fails(value):
    if value % 2:
        raise ValueError(value)

class Made(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        n, fuel = 1, chain(repeat(True, 20), repeat(False))
        try:
{body}
        except ValueError:
            pass
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        return grad
"""


def made(text: str) -> Any:
    path = f"generated_{next(_NUMBERS)}.py"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    scope: dict[str, Any] = {"__name__": "generated", "__file__": path}
    exec(compile(text, path, "exec"), scope)
    return scope["Made"]


@settings(max_examples=25)
@given(st.lists(BLOCKS, min_size=1, max_size=4))
def test_the_lines_of_generated_functions(blocks: list[str]) -> None:
    body = "\n".join(" " * 11 + line for line in "\n".join(blocks).splitlines())
    text = TEMPLATE.format(body=body)
    cls = made(text)

    def run() -> Any:
        return cls.apply(torch.ones(2, requires_grad=True)).sum().backward()

    oracle = Oracle()
    oracle.run(run)
    with tempfile.TemporaryDirectory() as folder:
        recording = record_run(Path(folder), run, level="all")
    assert recorded(recording) == oracle.calls
    executable = statements_of(text).executable()
    assert {line for call in oracle.calls for _, line in call} <= executable
    assert text in [source.text for source in recording.trace.sources]
