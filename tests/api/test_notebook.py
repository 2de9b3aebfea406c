"""Recordings in notebooks: how they display themselves, and ``%%gradviz``."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
import torch

import gradviz
from gradviz.analysis.index.trace_index import index_reader
from gradviz.export.page.document import run_page
from gradviz.export.steps import html as steps_html
from gradviz.store.reader import open_trace

HOSTILE = '<img src=x onerror="alert(1)">&\x1b[31m'


class Embedded(HTMLParser):
    """The attributes of the frames and images in an HTML fragment."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: dict[str, list[dict[str, str | None]]] = {"iframe": [], "img": []}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.found:
            self.found[tag].append(dict(attrs))


def texts(html: str) -> list[str]:
    """The text of each element, also in images; all must be well-formed and load nothing."""
    trees = [ElementTree.fromstring(html)]
    for image in Embedded(html).found["img"]:
        kind, _, source = str(image["src"]).partition(",")
        assert kind == "data:image/svg+xml"
        trees.append(ElementTree.fromstring(unquote(source)))
    elements = [each for tree in trees for each in tree.iter()]
    assert not {"script", "link"} & {each.tag.rpartition("}")[2] for each in elements}
    assert not any({"href"} & set(each.keys()) for each in elements)
    return [each.text or "" for each in elements]


@pytest.fixture(scope="module")
def recording() -> gradviz.RunRecorder:
    x = torch.ones(2, requires_grad=True)
    with gradviz.record(title=HOSTILE) as recorder:
        (x * 2).exp().sum().backward()
    return recorder


def test_a_recording_displays_its_graph_and_steps(recording: gradviz.RunRecorder) -> None:
    html = recording._repr_html_()
    assert html is not None
    found = texts(html)
    assert '<img src=x onerror="alert(1)">&\\x1b[31m' in found
    (frame,) = Embedded(html).found["iframe"]
    with open_trace(recording.path) as reader:
        assert frame["srcdoc"] == run_page(index_reader(reader), reader.value)
    assert frame["sandbox"] == "allow-scripts"
    assert frame["title"] == '<img src=x onerror="alert(1)">&\\x1b[31m'
    assert [each for each in found if each in ("MulBackward0", "ExpBackward0")]
    for step in recording.trace.steps:
        assert step.sentence in found
    assert html == gradviz.load(recording.path)._repr_html_()
    # Each color is defined for both themes.
    wanted = set(re.findall(r"var\((--gradviz-[\w-]+)", html))
    assert {html.count(f"{name}:") for name in wanted} == {4}


def test_a_recording_without_a_graph_says_so() -> None:
    with gradviz.record() as recorder:
        assert recorder._repr_html_() is None
        with pytest.raises(ZeroDivisionError):
            1 / 0  # noqa: B018
    html = recorder._repr_html_()
    assert html is not None
    assert "This trace has no graph: nothing in it was differentiable." in texts(html)


def test_a_long_recording_is_shortened(
    recording: gradviz.RunRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps_html, "_MOST_STEPS", 3)
    count = len(recording.trace.steps)
    found = texts(recording.trace._repr_html_())
    assert f"{count - 3} more steps" in found
    assert recording.trace.steps[3].sentence not in found


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """A shell of IPython, as a kernel has, with the extension loaded."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    # Doctests leave their last value there, and a shell then keeps none of its own.
    monkeypatch.delattr(builtins, "_", raising=False)
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    # Otherwise a thread writes each cell to a file.
    config = Config({"HistoryManager": {"enabled": False}})
    shell = InteractiveShell.instance(config=config)
    shell.active_types = ["text/plain", "text/html"]
    shell.run_cell("%load_ext gradviz").raise_error()
    shell.run_cell("import torch\nx = torch.tensor([1.0], requires_grad=True)").raise_error()
    yield shell
    shell.reset()
    InteractiveShell.clear_instance()


def test_the_magic_runs_and_records_a_cell(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run_cell(
        "%%gradviz\ny = x * 3\ny.sum().backward()\nprint('said')\nx.grad + 1"
    ).raise_error()
    recording = shell.user_ns["_"]
    assert isinstance(recording, gradviz.RunRecorder)
    assert recording._repr_html_()
    trace = recording.trace
    assert trace.steps[0].record.location.line == 1
    assert trace.origin.level == "all"
    assert [each.name for each in trace.nodes if each.variable_name] == [
        "torch::autograd::AccumulateGrad"
    ]
    printed = capsys.readouterr().out
    assert "said" in printed
    assert "tensor([4.])" in printed
    assert shell.user_ns["y"].item() == 3


def test_the_magic_takes_options(shell: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    shell.run_cell(f"%%gradviz --level nodes --passes 2 -o {path}\nx.sum().backward()")
    with gradviz.load(path) as trace:
        assert trace.origin.level == "nodes"
        assert trace.steps == ()  # There is only one pass.
    ran = shell.run_cell("%%gradviz --level deep\n1")
    assert isinstance(ran.error_in_exec, ValueError)
    assert "choose from" in str(ran.error_in_exec)


def test_a_cell_that_raises_is_recorded_and_stops_the_notebook(
    shell: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from IPython.core.displaypub import CapturingDisplayPublisher

    published = CapturingDisplayPublisher()
    monkeypatch.setattr(shell, "display_pub", published)
    ran = shell.run_cell("%%gradviz\nx.sum().backward()\nraise KeyError('mine')")
    assert isinstance(ran.error_in_exec, KeyError)
    (output,) = published.outputs
    assert "KeyError" in output["data"]["text/html"]
    # Its traceback is shown once, without frames of gradviz.
    shown = capsys.readouterr().out
    assert shown.count("Traceback (most recent call last)") == 1
    assert "notebook.py" not in shown


def test_a_recording_that_fails_says_so(
    shell: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("mine")
    ran = shell.run_cell(f"%%gradviz -o {path}\nraise KeyError('not run')")
    assert isinstance(ran.error_in_exec, gradviz.TraceError)
    assert capsys.readouterr().out.count(f"{path} is not a gradviz trace.") == 1
    cell = f"x.sum().backward()\nimport os\nos.truncate('{tmp_path}/run.gradviz-wal', 0)"
    for code, shown in ((cell, "TraceError"), (f"{cell}\nraise KeyError('mine')", "KeyError")):
        ran = shell.run_cell(f"%%gradviz -o {tmp_path}/run.gradviz\n{code}")
        assert type(ran.error_in_exec).__name__ == shown
        assert "changed the trace file" in capsys.readouterr().out
        (tmp_path / "run.gradviz").unlink()
