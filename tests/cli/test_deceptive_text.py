"""Control characters in a trace are escaped on every way out; JSON has the real text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gradviz
from gradviz.catalogue.visible_text import visible_text
from gradviz.cli.main import main
from tests.deceptive_trace import DECEPTIVE, VISIBLE, deceptive_trace


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("traces")
    left, right = (deceptive_trace(name, folder / f"{name}.gradviz") for name in ("check", "lines"))
    return str(left), str(right)


def assert_plain(text: str) -> None:
    """Assert that control characters are escaped and that no name begins a line."""
    assert VISIBLE in text
    assert text == visible_text(text, lines=True)
    assert [line for line in text.split("\n") if line.startswith("<img")] == []


@pytest.mark.parametrize("command", ["steps", "steps --level op", "check", "compare"])
def test_text_is_escaped(
    command: str, traces: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command.split(), *traces[: 2 if command == "compare" else 1]]) != 2
    assert_plain(capsys.readouterr().out)


def test_files_are_escaped(traces: tuple[str, str], tmp_path: Path) -> None:
    for name in ("graph.svg", "graph.dot"):
        assert main(["export", traces[0], "-o", str(tmp_path / name)]) == 0
    assert main(["check", traces[0], "-o", str(tmp_path / "check.xml")]) == 1
    for name in ("graph.svg", "graph.dot", "check.xml"):
        text = (tmp_path / name).read_text()
        assert r"F\u202eevil\x1b[31m" in text.replace("\\\\", "\\"), name
        assert text == visible_text(text, lines=True)
        assert "[31m\n" not in text


def test_python_is_escaped(traces: tuple[str, str]) -> None:
    with gradviz.load(traces[0]) as trace:
        assert_plain(str(trace))
        assert_plain("\n".join(repr(value) for step in trace.steps for value in step.values))
        page = trace._repr_html_().replace("&lt;", "<").replace("&gt;", ">")
        assert_plain(page.replace("&quot;", '"'))
        assert DECEPTIVE in trace.records.nodes[0].name


def test_json_has_the_real_text(
    traces: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["steps", "--format", "json", traces[0]]) == 0
    text = capsys.readouterr().out
    assert text.isascii()
    assert text == visible_text(text, lines=True)
    assert json.loads(text)["origin"]["title"].endswith(DECEPTIVE)
