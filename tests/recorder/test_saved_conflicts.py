"""What changed a saved tensor: each write is named, and no correct program is accused."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.memory.stale_tensors import changed_since
from gradviz.analysis.memory.version_error import is_about_versions
from gradviz.analysis.position.finding_positions import finding_position
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.finding import Finding
from gradviz.model.step import ForwardStep
from gradviz.store.reader import open_trace
from gradviz.text.narration import describe_position
from tests.recorder.recorded_run import RecordedRun, record_run


def compiled(folder: Path, text: str) -> Callable[[], Any]:
    """The function ``run`` of a program whose source can be read."""
    path = folder / "program.py"
    path.write_text(text)
    names: dict[str, Any] = {}
    exec(compile(text, path, "exec"), names)
    run: Callable[[], Any] = names["run"]
    return run


def recorded(folder: Path, body: str, **options: Any) -> RecordedRun:
    """A recording of the body of a function; a comment ``# changes`` marks a line."""
    text = "import torch\ndef run():\n" + textwrap.indent(textwrap.dedent(body).strip(), "    ")
    run = compiled(folder, text)
    caught: list[RuntimeError] = []

    def code() -> None:
        try:
            run()
        except RuntimeError as error:
            caught.append(error)

    recording = record_run(folder, code, **options)
    assert all(is_about_versions(str(error)) for error in caught)
    return recording


def conflicts(run: RecordedRun) -> list[Finding]:
    return [each for each in run.trace.findings if each.code == "saved_modified"]


def index_with_values(folder: Path, run: RecordedRun) -> TraceIndex:
    """The index of a recording that reads the elements of tensors, too."""
    with open_trace(folder / "run.gradviz") as reader:
        values = {each.id: reader.value(each.id) for each in reader.trace().tensors}
    return index_trace(run.trace, values.get)


CULPRITS = {
    "a read is not blamed": (
        """
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        base = w.exp().repeat(3, 1)
        b = base[1].cos()
        c = base[2].tanh()
        base.mul_(0.5)
        (b.sum() + c.sum()).backward()
        """,
        "`base.mul_(0.5)`, line 7, overwrote base[1], which cos (line 5) saved.",
    ),
    "outside of grad mode": (
        """
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        x = torch.tensor([3.0, 4.0], requires_grad=True)
        loss = (w * x).sum()
        with torch.no_grad():
            w.sub_(0.1)
        y = w * 2
        loss.backward()
        """,
        "`w.sub_(0.1)`, line 7, overwrote w, which mul (line 5) saved.",
    ),
    "nothing reads it later": (
        """
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        loss = w.pow(3).sum()
        with torch.no_grad():
            w.copy_(torch.zeros(2))
        loss.backward()
        """,
        "`w.copy_(torch.zeros(2))`, line 6, overwrote w, which pow (line 4) saved.",
    ),
    "a list": (
        """
        a = torch.tensor([1.0, 2.0], requires_grad=True) * 1
        b = a.exp()
        torch._foreach_mul_([b.detach()], 2.0)
        b.sum().backward()
        """,
        "`torch._foreach_mul_([b.detach()], 2.0)`, line 5, overwrote b, which exp (line 4) saved.",
    ),
    "an output argument": (
        """
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        v = torch.ones(2)
        b = a * v
        torch.zeros(2, out=v)
        b.sum().backward()
        """,
        "`torch.zeros(2, out=v)`, line 6, overwrote v, which mul (line 5) saved.",
    ),
    "other elements": (
        """
        a = torch.tensor(0.9, requires_grad=True)
        h = torch.ones(3)
        y = h[0] * a
        h[1] = 5.0
        y.backward()
        """,
        "`h[1] = 5.0`, line 6, changed other elements of the tensor that h[0] is part of, "
        "and left h[0] as it was. But mul (line 5) saved h[0]",
    ),
    "other elements of a part, whose whole a later node needs": (
        """
        s = torch.ones(2, 3, requires_grad=True).exp()
        loss = s[:, 1].log().sum()
        s[:, 0] = 0
        loss.backward()
        """,
        "`s[:, 0] = 0`, line 5, overwrote s, which exp (line 3) saved.",
    ),
    "another part of the same tensor": (
        """
        a = torch.ones(2, 3, requires_grad=True)
        s = a * 2
        loss = s[:, 1].log().sum() + s[:, 2].log().sum()
        s[:, 0] = 0
        loss.backward()
        """,
        "`s[:, 0] = 0`, line 6, changed other elements of the tensor that s[:, 2] is part of, "
        "and left s[:, 2] as it was. But log (line 5) saved s[:, 2]",
    ),
    "a part without a name": (
        """
        a = torch.ones(2, 3, requires_grad=True)
        s = a * 2
        loss = s.select(1, 1).log().sum()
        s[:, 0] = 0
        loss.backward()
        """,
        "`s[:, 0] = 0`, line 6, changed s in place after log (line 5) had saved another part",
    ),
    "an optimizer": (
        """
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=0.1)
        w.grad = torch.ones(2)
        loss = w.pow(3).sum()
        optimizer.step()
        loss.backward()
        """,
        "`optimizer.step()`, line 7, overwrote w, which pow (line 6) saved. This pass came after "
        "it and needs the saved values, so torch raises an error. Run every backward pass through "
        "this graph before the optimizer's step",
    ),
    "a view of a parameter": (
        """
        layer = torch.nn.Linear(2, 2)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        loss = layer(layer(torch.ones(1, 2))).sum()
        layer.weight.grad = torch.ones(2, 2)
        optimizer.step()
        loss.backward()
        """,
        "`optimizer.step()`, line 7, overwrote layer.weight, which linear (line 5) saved.",
    ),
    "data": (
        """
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        y = w.exp()
        y.data /= y.data.sum()
        y.sum().backward()
        """,
        "`y.data /= y.data.sum()`, line 5, overwrote y, which exp (line 4) saved, but torch's",
    ),
    "other data": (
        """
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        y = (w * w).sum()
        w.data = torch.zeros(2)
        y.backward()
        """,
        "`w.data = torch.zeros(2)`, line 5, overwrote w, which mul (line 4) saved, but torch's",
    ),
    "numpy": (
        """
        w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        v = torch.ones(3)
        y = w * v
        v.numpy()[1] = 7.0
        z = y + 1
        z.sum().backward()
        """,
        "mul (line 5) saved v, which was changed between line 5 and line 8, as happens with NumPy",
    ),
}


@pytest.mark.parametrize("level", ["nodes", "ops"])
@pytest.mark.parametrize(("body", "sentence"), CULPRITS.values(), ids=CULPRITS)
def test_the_write_is_named(body: str, sentence: str, level: str, tmp_path: Path) -> None:
    found = conflicts(recorded(tmp_path, body, level=level))
    last = found[-1]
    assert last.message.startswith(sentence)
    assert last.severity == "error"
    # An earlier one is the same change, at the step that made it.
    assert {each.location for each in found} == {last.location}
    named = re.search(r"`, line (\d+)", sentence)
    if named is not None:
        assert last.location is not None
        assert last.location.line == int(named[1])


def test_a_finding_leads_to_the_first_write_after_saving(tmp_path: Path) -> None:
    body = """
    h = torch.ones(2, requires_grad=True) * 1
    for k in range(4):
        if k == 1:
            y = h.sin()
        h.add_(1)
    y.sum().backward()
    """
    run = recorded(tmp_path, body)
    (finding,) = conflicts(run)
    writes = [each.number for each in run.steps(ForwardStep) if each.location == finding.location]
    assert len(writes) == 4
    assert finding_position(run.index, finding) == TracePosition(step=writes[1])


def test_a_write_in_a_thread_that_torch_does_not_show_is_bounded_by_lines(tmp_path: Path) -> None:
    body = """
        import _thread, time
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        v = torch.ones(2)
        y = w * v
        done = []
        _thread.start_new_thread(lambda: done.append(v.mul_(2)), ())
        while not done:
            time.sleep(0.001)
        z = w * v
        y.sum().backward()
        """
    (finding,) = conflicts(recorded(tmp_path, body))
    start = "mul (line 6) saved v, which was changed in place between line 6 and line 11;"
    assert finding.message.startswith(start)


@dataclass
class Program:
    """A program of reads and writes, and what plain torch says about each read.

    Attributes:
        lines: Its lines.
        reads: For each read, its line.
        expected: For each read: the kind of its sentence, and the line that changed it.
    """

    lines: list[str]
    reads: list[int] = field(default_factory=list)
    expected: list[tuple[str, int | None]] = field(default_factory=list)


VIEWS = ("a", "a[0]", "a[1]", "a[2]", "a[:2]", "a[1:]", "a[:, 1]", "a[..., ::2]", "a.t()[1]")
WRITES = ("{}.mul_(3)", "{}.add_(1.5)", "{}[...] = {value}", "{}.data.mul_(5)", "{}.zero_()")
statement = st.one_of(
    st.sampled_from([f"read {view}" for view in VIEWS]),
    st.builds(
        lambda view, write, value: write.format(view, value=value),
        st.sampled_from(VIEWS),
        st.sampled_from(WRITES),
        st.integers(-9, -2),
    ),
)
START = ["w = torch.tensor(2.0, requires_grad=True)", "out = []"]


def judged(statements: list[str], *, is_made: bool) -> Program:
    """Runs a program without a recording, and compares clones at saving and at use."""
    numbers = "torch.arange(1.0, 10.0).view(3, 3)"
    made = f"a = {numbers} * w" if is_made else f"a = {numbers}"
    program = Program([*START, made])
    names: dict[str, Any] = {"torch": torch}
    for line in program.lines:
        exec(line, names)
    places = torch.arange(9).view(3, 3)
    saved: list[tuple[set[int], torch.Tensor, dict[str, int]]] = []
    for each in statements:
        if each.startswith("read "):
            view = each.removeprefix("read ")
            line = f"out.append(({view} * w).sum())"
            exec(line, names)
            ids = set(eval(view, {"a": places}).flatten().tolist())
            saved.append((ids, names["a"].detach().clone().flatten(), {}))
            program.lines.append(line)
            program.reads.append(len(program.lines) + 2)
            continue
        program.lines.append(f"with torch.no_grad(): {each}")
        exec(program.lines[-1], names)
        target = re.split(r"\.(?:mul_|add_|zero_|data)|\[\.\.\.\] =", each)[0]
        written = set(eval(target, {"a": places}).flatten().tolist())
        now = names["a"].detach().flatten()
        for ids, before, lines in saved:
            common = ids & written
            # NaN and Inf do not occur, so equal elements are the same.
            if any(now[at] != before[at] for at in common):
                lines.setdefault("changed", len(program.lines) + 2)
            if ".data" not in each:
                lines.setdefault("counted", len(program.lines) + 2)
    now = names["a"].detach().flatten()
    for position, (ids, before, lines) in enumerate(saved):
        program.lines.append(f"try: out[{position}].backward(retain_graph=True)")
        program.lines.append("except RuntimeError: pass")
        if raises_about_versions(names["out"][position]):
            kind = "raised" if "changed" in lines else "elsewhere"
            program.expected.append((kind, lines.get("changed", lines.get("counted"))))
        else:
            silent = any(now[at] != before[at] for at in ids)
            program.expected.append(("silent", lines["changed"]) if silent else ("none", None))
    return program


def raises_about_versions(output: torch.Tensor) -> bool:
    try:
        output.backward(retain_graph=True)
    except RuntimeError as error:
        return is_about_versions(str(error))
    return False


KINDS = {
    "overwrote": "raised",
    "other elements": "elsewhere",
    "another part": "elsewhere",
    "did not notice": "silent",
}


@settings(max_examples=60)
@given(st.lists(statement, min_size=2, max_size=8), st.booleans())
def test_random_programs_agree_with_clones_and_torch(
    tmp_path_factory: pytest.TempPathFactory, statements: list[str], is_made: bool
) -> None:
    program, folder = judged(statements, is_made=is_made), tmp_path_factory.mktemp("run")
    run = recorded(folder, "\n".join(program.lines))
    found: dict[int, tuple[str, int | None]] = {}
    for each in conflicts(run):
        assert each.node is not None
        step = run.index.trace.steps[run.index.made_at[each.node] - 1]
        assert isinstance(step, ForwardStep)
        assert step.location is not None
        kind = next(value for key, value in reversed(KINDS.items()) if key in each.message)
        line = None if each.location is None else each.location.line
        assert found.setdefault(step.location.line, (kind, line)) == (kind, line)
    expected = dict(zip(program.reads, program.expected, strict=True))
    assert found == {line: each for line, each in expected.items() if each[0] != "none"}


def rows_of_an_rnn() -> None:
    w, x, h = torch.randn(4, requires_grad=True), torch.randn(3, 4), torch.zeros(4)
    for t in range(3):
        h = torch.tanh(x[t] * w + h)
    h.sum().backward()


def filled_after_use() -> None:
    w, kept = torch.randn(4, requires_grad=True), torch.zeros(3, 4)
    h = w * 1
    for t in range(3):
        h = torch.tanh(h * w)
        kept[t] = h.detach()
    h.sum().backward()


def trained_by_hand() -> None:
    w = torch.randn(4, requires_grad=True)
    for _ in range(3):
        (w * w).sum().backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None


def trained_through_data() -> None:
    w = torch.randn(4, requires_grad=True)
    for _ in range(3):
        w.grad = None
        (w * w).sum().backward()
        w.data.sub_(0.1 * w.grad)


def from_numpy_and_back() -> None:
    w = torch.randn(4, requires_grad=True)
    x = torch.from_numpy(torch.randn(4).numpy())
    y = x * w
    y.detach().numpy()
    y.sum().backward()


def chunks_of_a_product() -> None:
    x = torch.randn(4, 6, requires_grad=True)
    a, b = (x * 1).chunk(2, -1)
    (a * b).sum().backward()


def module(make: Callable[[], nn.Module], *shapes: tuple[int, ...]) -> Callable[[], None]:
    def run() -> None:
        result = make()(*[torch.randn(shape) for shape in shapes])
        while isinstance(result, tuple):
            result = result[0]
        result.pow(2).mean().backward()

    return run


CORRECT = {
    "rows": rows_of_an_rnn,
    "filled": filled_after_use,
    "by hand": trained_by_hand,
    "data": trained_through_data,
    "numpy": from_numpy_and_back,
    "chunks": chunks_of_a_product,
    "GRUCell": module(lambda: nn.GRUCell(3, 4), (2, 3), (2, 4)),
    "LSTMCell": module(lambda: nn.LSTMCell(3, 4), (2, 3)),
    "GRU": module(lambda: nn.GRU(3, 4), (5, 2, 3)),
    "LSTM": module(lambda: nn.LSTM(3, 4), (5, 2, 3)),
    "attention": module(lambda: nn.MultiheadAttention(4, 2), (3, 2, 4), (3, 2, 4), (3, 2, 4)),
}


def test_running_statistics_are_no_conflict(tmp_path: Path) -> None:
    # Torch saves them, but does not use them in train mode.
    recording = record_run(tmp_path, module(lambda: nn.BatchNorm1d(4), (6, 4)))
    assert conflicts(recording) == []


@pytest.mark.parametrize("run", CORRECT.values(), ids=CORRECT)
def test_correct_programs_are_not_accused(run: Callable[[], None], tmp_path: Path) -> None:
    differences: list[int] = []

    def unpack(held: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        differences.append(int(not torch.equal(*held)))
        return held[0]

    # Plain torch says that nothing is changed between saving and use.
    with torch.autograd.graph.saved_tensors_hooks(lambda each: (each, each.clone()), unpack):
        run()
    assert not any(differences)
    recording = record_run(tmp_path, run)
    assert conflicts(recording) == []
    index = index_with_values(tmp_path, recording)
    for slot in recording.trace.saved:
        until = index.visits.get(slot.node, (0,))[0]
        assert not changed_since(index, slot, until), slot


class LastStep(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        h = torch.zeros_like(x[0])
        for t in range(x.shape[0]):
            frame = x[t]
            h = 0.5 * h + frame
        return h

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return torch.stack([grad * 0.5 ** (3 - t) for t in range(4)])


def test_a_view_of_another_row_is_no_change_in_place(tmp_path: Path) -> None:
    x = torch.randn(4, 3, requires_grad=True)
    run = record_run(tmp_path, lambda: LastStep.apply(x).sum().backward(), level="lines")
    index = index_with_values(tmp_path, run)
    sentences = [
        describe_position(index, TracePosition(step=inside.id, stage=part.stage, line=at))
        for inside in index.trace.insides
        for part in inside.parts
        for at in range(len(part.lines))
    ]
    assert sum("frame" in each for each in sentences) >= 4
    assert not any("in place" in each for each in sentences)
