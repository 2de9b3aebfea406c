"""Recordings in notebooks: how they display themselves, and ``%%gradviz``."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import torch

import gradviz
from gradviz.export.steps import html as steps_html

HOSTILE = '<img src=x onerror="alert(1)">&\x1b[31m'


def texts(html: str) -> list[str]:
    """The text of each element; the fragment must be well-formed and load nothing."""
    tree = ElementTree.fromstring(html)
    tags = {each.tag.rpartition("}")[2] for each in tree.iter()}
    assert not {"script", "img", "link", "iframe"} & tags
    assert not any({"id", "src", "href"} & set(each.keys()) for each in tree.iter())
    return [each.text or "" for each in tree.iter()]


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
    assert [each for each in found if each in ("MulBackward0", "ExpBackward0")]
    for step in recording.trace.steps:
        assert step.sentence in found
    assert html == gradviz.load(recording.path)._repr_html_()
    # Each color is defined for both themes.
    wanted = set(re.findall(r"var\((--[\w-]+)", html))
    assert {html.count(f"{name}:#") for name in wanted} == {4}


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
