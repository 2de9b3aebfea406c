"""Recordings in notebooks: how they display themselves, and ``%%gradviz``."""

from __future__ import annotations

import builtins
import inspect
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

SQUARE = """class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return 2 * ctx.x * grad
"""
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
        assert frame["srcdoc"] == run_page(index_reader(reader))
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
    path = tmp_path / "my run.gradviz"
    options = "--no-values --no-source --budget 1M --max-size 2G --only Square --until 'loss > 10'"
    shell.run_cell(f"%%gradviz {options} -o '{path}'\nx.sum().backward()").raise_error()
    with gradviz.load(path) as trace:
        scope = trace.records.scope
    assert scope.max_bytes == 2 << 30
    assert (scope.only, scope.until) == ("Square", "loss > 10")
    assert not scope.values
    assert not scope.source


def test_the_magic_has_the_options_of_record(shell: Any) -> None:
    described = shell.find_cell_magic("gradviz").__doc__
    # The title is the cell's.
    for name in set(inspect.signature(gradviz.record).parameters) - {"path", "title"}:
        assert re.search(rf"^  --(no-)?{name.replace('_', '-')}\b", described, re.MULTILINE), name


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--level deep", "argument --level: invalid choice: 'deep' (choose from"),
        ("--passes 0", "'0' is not"),
        ("--until tomorrow", "'tomorrow' is not nan, inf or a comparison"),
        ("--budget much", "argument --budget: "),
        ("-o 'run.gradviz", "No closing quotation"),
        ("--outptu run.gradviz", "unrecognized arguments: --outptu run.gradviz"),
    ],
)
def test_a_wrong_option_is_one_line(
    shell: Any, capsys: pytest.CaptureFixture[str], options: str, said: str
) -> None:
    ran = shell.run_cell(f"%%gradviz {options}\nraise KeyError('not run')")
    assert type(ran.error_in_exec).__name__ == "UsageError"
    (line,) = "".join(capsys.readouterr()).splitlines()
    assert line.startswith("UsageError: ")
    assert said in line


def test_cells_have_the_numbers_of_the_notebook(
    shell: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # As ipykernel names what it compiles.
    monkeypatch.setattr(
        shell.compile, "get_code_name", lambda raw, *_: f"/tmp/ipykernel_7/{abs(hash(raw))}.py"
    )
    start = shell.execution_count

    def run(cell: str) -> Any:
        return shell.run_cell(cell, store_history=True)

    run(SQUARE).raise_error()
    run("%%gradviz\ny = Square.apply(x)\ny.sum().backward()\ny + 1").raise_error()
    assert f"Out[{start + 1}]: tensor" in capsys.readouterr().out
    trace = shell.user_ns["_"].trace
    assert trace.origin.title == f"Cell {start + 1}"
    names = {each.path: each.text.splitlines()[0] for each in trace.records.sources}
    assert names == {
        f"In [{start}]": SQUARE.splitlines()[0],
        f"In [{start + 1}]": "y = Square.apply(x)",
    }
    assert {each.record.location.path for each in trace.steps if each.kind == "forward"} == {
        f"In [{start + 1}]"
    }
    (page,) = Embedded(trace._repr_html_()).found["iframe"]
    assert f"In [{start}]" in str(page["srcdoc"])
    assert "ipykernel" not in str(page["srcdoc"])
    run("%%gradviz\nx.sum().backward()\n1 / 0")
    printed = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)
    assert f"Cell In[{start + 2}], line 2" in printed
    assert shell.execution_count == start + 3


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


def test_a_recording_and_its_trace_say_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    recording = gradviz.record(path, title="Mine\x1b")
    assert repr(recording) == r"<RunRecorder 'Mine\x1b': not started>"
    with recording:
        assert repr(recording) == r"<RunRecorder 'Mine\x1b': recording>"
        torch.ones(2, requires_grad=True).sum().backward()
    said = rf"'Mine\x1b': 5 steps, {path}>"
    assert repr(recording) == f"<RunRecorder {said}"
    assert repr(recording.trace) == f"<LoadedTrace {said}"


def test_the_doctor_reads_cells_and_displays_a_table(shell: Any) -> None:
    number = shell.execution_count
    shell.run_cell(SQUARE, store_history=True).raise_error()
    shell.run_cell("import gradviz", store_history=True).raise_error()
    for call in ("Square", "Square, x"):
        shell.run_cell(f"gradviz.doctor({call})", store_history=True).raise_error()
        (finding,) = findings = shell.user_ns["_"]
        assert (finding.rule.id, finding.path, finding.line) == ("GV101", f"In [{number}]", 4)
        found = texts(findings._repr_html_())
        assert {"GV101", "warning", f"In [{number}]:4", finding.message, "Found 1 warning."} <= {
            *found
        }
        assert str(findings).splitlines()[0].startswith(f"In [{number}]:4: GV101 warning: ")
        unchecked = any("need a run" in each for each in found)
        assert unchecked == (call == "Square")


def test_the_doctor_says_what_it_did_not_check_and_escapes(tmp_path: Path) -> None:
    path = tmp_path / "<b>&.py"
    saved = SQUARE.replace("ctx.x = x", "ctx.save_for_backward(x)")
    path.write_text(
        saved.replace("return 2 * ctx.x", "(x,) = ctx.saved_tensors\n        return 2 * x")
    )
    shown = texts(gradviz.doctor(path)._repr_html_())
    assert any(each.startswith("No problems found by the ") for each in shown)
    assert any(f"{path}: " in each for each in shown)
    assert any("runs the examples of a file" in each for each in shown)
