"""What ends a recording reads each source once, however long the run was."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gradviz.analysis.source_statements import parse_source
from gradviz.linter.training.source_search import ParsedFile
from gradviz.model.source import SourceFile
from tests.linter.test_training_rules import findings_of

FILLER = "".join(f"def unused_{at}(a, b):\n    return a * {at} + b\n\n" for at in range(100))
"""A program that is much longer than what of it runs."""

PROGRAM = """\
layers = [nn.Linear(4, 4) for _ in range({count})]
head = nn.Linear(4, 1)
optimizer = torch.optim.SGD([p for each in (*layers, head) for p in each.parameters()], lr=0.01)
for _ in range(2):
    h = x
    for layer in layers:
        h = torch.tanh(layer(h))
    loss = ((head(h) - y) ** 2).mean()
    loss.backward()
    optimizer.step()  # without zero_grad
"""


def reading(folder: Path, count: int, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], int]:
    """The texts parsed in a recording with so many layers, and the number of tree nodes visited."""
    parsed: list[str] = []
    visited = 0
    parse = ast.parse
    walk = ast.walk

    def counted_parse(text: str | bytes, *options: Any, **named: Any) -> Any:
        # pytest parses modules that torch imports, as bytes.
        if isinstance(text, str):
            parsed.append(text)
        return parse(text, *options, **named)

    def counted_walk(tree: ast.AST) -> Iterator[ast.AST]:
        nonlocal visited
        for each in walk(tree):
            visited += 1
            yield each

    folder.mkdir()
    parse_source.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(ast, "parse", counted_parse)
        patch.setattr(ast, "walk", counted_walk)
        found = findings_of(folder, FILLER + PROGRAM.format(count=count))
    assert [each.code for each in found] == ["gradients_not_cleared"]
    return [each for each in parsed if "unused_0" in each], visited


def test_the_parts_of_a_file_are_those_of_its_tree_when_it_is_parsed_again() -> None:
    source = SourceFile(id=1, path="a.py", text="x = 1\n")
    for _ in range(2):
        parse_source.cache_clear()
        tree = parse_source(source.text)
        assert tree is not None
        assert ParsedFile(source, tree).nodes[0] is tree


def test_each_source_is_parsed_once_and_not_walked_for_each_node(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed, visited = reading(tmp_path / "short", 2, monkeypatch)
    assert len(parsed) == 1
    parsed, visited_of_long = reading(tmp_path / "long", 14, monkeypatch)
    assert len(parsed) == 1
    # The longer run has six times as many nodes in its graph.
    assert visited_of_long < 1.5 * visited
