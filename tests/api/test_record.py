"""``gradviz.record`` and ``gradviz.load`` in the caller's own process."""

from __future__ import annotations

import os
import subprocess
import warnings
from pathlib import Path

import pytest
import torch
from torch import Tensor

import gradviz
from gradviz.api import record
from gradviz.model import gc_pause
from gradviz.recorder.recording import RecordingError
from gradviz.store.errors import TraceError
from tests.builders import linear_trace, write_trace


def leaf(dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.tensor([[0.1, 0.2], [0.3, 0.4]], dtype=dtype, requires_grad=True)


def run(x: Tensor) -> Tensor:
    loss = (x @ x).exp().sum()
    loss.backward()
    return loss


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_block_runs_as_without_a_recording(dtype: torch.dtype) -> None:
    plain, recorded = leaf(dtype), leaf(dtype)
    expected = run(plain)
    with gradviz.record() as recording:
        assert torch.equal(run(recorded), expected)
    assert recorded.grad is not None
    assert plain.grad is not None
    assert torch.equal(recorded.grad, plain.grad)
    total = recording.trace.steps[-2]["grad"].tensor
    assert total is not None
    assert total.torch().dtype is dtype
    assert torch.equal(total.torch(), plain.grad)
    assert (total.numpy() == plain.grad.float().numpy()).all()


def test_a_loaded_trace_has_steps_with_sentences_and_values(tmp_path: Path) -> None:
    with gradviz.record(tmp_path / "run.gradviz", title="twice"):
        run(leaf())
    with gradviz.load(tmp_path / "run.gradviz") as trace:
        assert (trace.origin.title, trace.outcome is not None) == ("twice", True)
        assert [each.kind for each in trace.steps[:4]] == ["forward"] * 3 + ["pass_begin"]
        assert [each.number for each in trace.steps] == list(range(1, len(trace.steps) + 1))
        first = trace.steps[0]
        assert first.sentence.startswith("matmul takes x 2×2 and x 2×2 and returns")
        assert [each.role for each in first.values][:3] == ["input", "input", "output"]
        assert trace.nodes[0].name == "MmBackward0"
        with pytest.raises(KeyError, match="step 1 has no value y; its values are x, "):
            first["y"]
        assert first.sentence in str(trace)


def test_a_tensor_beyond_the_budget_says_so(tmp_path: Path) -> None:
    x = torch.ones(100, 100, requires_grad=True)
    with gradviz.record(tmp_path / "run.gradviz", budget=0) as none:
        x.sum().backward()
    kept = none.trace.steps[0].values[0].tensor
    assert kept is not None
    assert (kept.shape, kept.is_whole) == ((100, 100), False)
    with pytest.raises(ValueError, match="not all elements of this tensor are in the trace: "):
        kept.torch()
    with pytest.raises(ValueError, match="the elements of this tensor are not in the trace: "):
        kept.sample()
    with gradviz.record(tmp_path / "run.gradviz") as some:
        x.sum().backward()
    sampled = some.trace.steps[0].values[0].tensor
    assert sampled is not None
    assert sampled.sample().shape == sampled.record.kept_shape
    assert sampled.sample().shape < (100, 100)


def test_a_part_of_a_block() -> None:
    with gradviz.record(passes="2") as recording:
        for _ in range(3):
            run(leaf())
    assert {each.pass_id for each in recording.trace.records.steps} == {None, 2}
    assert "Only backward pass 2 of 3 was recorded." in str(recording.trace)
    with gradviz.record(until="loss > 1", values=False, source=False, max_size=1 << 30) as short:
        for _ in range(3):
            run(leaf())
    assert str(short.trace).splitlines()[1:4] == [
        "The recording stopped after backward pass 1 of 3: loss > 1 was fulfilled.",
        "Values of tensors were not recorded.",
        "Source code was not recorded.",
    ]
    with pytest.raises(ValueError, match="'x > 1' is not nan, inf or a comparison"):
        gradviz.record(until="x > 1")
    with pytest.raises(ValueError, match="'2:1' is not a range of passes like 3, 3:5 or last:2"):
        gradviz.record(passes="2:1")


def test_a_decorator_records_each_call_anew(tmp_path: Path) -> None:
    path = tmp_path / "call.gradviz"
    recorded = gradviz.record(path, level="all")(run)
    for dtype in (torch.float32, torch.float64):
        recorded(leaf(dtype))
        with gradviz.load(path) as trace:
            value = trace.steps[0]["x"].tensor
            assert value is not None
            assert value.dtype == str(dtype).removeprefix("torch.")
            assert trace.origin.level == "all"
    assert [each.name for each in tmp_path.iterdir()] == ["call.gradviz"]


def test_start_and_stop(tmp_path: Path) -> None:
    recording = gradviz.record(tmp_path / "run.gradviz")
    with pytest.raises(RuntimeError, match="not ended yet"):
        recording.save(tmp_path / "copy.gradviz")
    recording.start()
    with pytest.raises(RuntimeError, match="not ended yet"):
        _ = recording.trace
    with pytest.raises(RecordingError, match="Another recording is open"):
        gradviz.record(tmp_path / "other.gradviz").start()
    run(leaf())
    recording.stop()
    recording.stop()
    assert len(recording.trace.steps) == 9
    copy = recording.save(tmp_path / "copy.gradviz")
    with gradviz.load(copy) as trace:
        assert str(trace) == str(recording.trace)
    assert {each.name for each in tmp_path.iterdir()} == {"run.gradviz", "copy.gradviz"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="This system has no fork.")
def test_the_end_of_a_forked_process_leaves_the_recording_alone(tmp_path: Path) -> None:
    with gradviz.record(tmp_path / "run.gradviz") as kept, warnings.catch_warnings():
        # Python warns of forks in processes with threads.
        warnings.simplefilter("ignore")
        run(leaf())
        child = os.fork()
        if not child:
            # No backward: autograd refuses to run after a fork if it has used threads.
            try:
                kept.stop()
            finally:
                os._exit(len(os.listdir(tmp_path)))
        _, status = os.waitpid(child, 0)
        run(leaf())
    assert os.waitstatus_to_exitcode(status) == 4, "trace, logs and lock are still there"
    assert len(kept.trace.steps) == 18
    assert [each.name for each in tmp_path.iterdir()] == ["run.gradviz"]


def test_each_rank_writes_a_trace_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for rank, count, name in (("1", "2", "run-rank1"), ("0", "1", "run"), ("x", "2", "run")):
        monkeypatch.setenv("RANK", rank)
        monkeypatch.setenv("WORLD_SIZE", count)
        recording = gradviz.record(tmp_path / "run.gradviz")
        assert recording.path == tmp_path / f"{name}.gradviz"


def test_an_exception_is_the_last_step_and_is_raised() -> None:
    recording = gradviz.record()
    with pytest.raises(RuntimeError, match="scalar outputs"), recording:
        leaf().backward()
    assert recording.trace.steps[-1].kind == "error"
    assert recording.trace.outcome is not None
    assert recording.trace.outcome.kind == "failed"


def test_a_file_that_is_no_trace_is_kept(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("hello")
    with pytest.raises(gradviz.TraceError, match="not a gradviz trace"):
        gradviz.record(notes).start()
    with pytest.raises(gradviz.TraceError, match="not a gradviz trace"):
        gradviz.load(notes)
    assert notes.read_text() == "hello"
    with pytest.raises(ValueError, match="no level 'op'; available levels: nodes, ops, lines, all"):
        gradviz.record(level="op")  # type: ignore[arg-type]


def test_a_recording_that_cannot_be_completed_keeps_what_it_can(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    write_trace(path, linear_trace())
    recording = gradviz.record(path)
    recording.start()
    run(leaf())
    (log,) = tmp_path.glob("*.gradviz-part-wal")
    os.truncate(log, 0)
    with pytest.raises(TraceError, match="changed the trace file"):
        recording.stop()
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    outcome = recording.trace.outcome
    assert outcome is not None
    assert outcome.kind == "stopped"
    assert "changed the trace file" in outcome.message
    # Nothing is locked any more.
    with gradviz.record(path):
        run(leaf())


def test_the_exception_of_the_code_is_raised_even_if_its_recording_fails(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    own = KeyError("own")

    @gradviz.record(path)
    def fail() -> None:
        run(leaf())
        os.truncate(f"{path}-wal", 0)
        raise own

    with pytest.raises(KeyError) as caught:
        fail()
    assert caught.value is own
    (note,) = own.__notes__
    assert f"changed the trace file {path}" in note
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_a_window_outlives_a_temporary_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    with gradviz.record() as forgotten:
        pass
    with gradviz.record() as shown:
        pass
    started: list[list[str]] = []
    # Not before: the first recording of a process asks the system for its name in another one.
    monkeypatch.setattr(subprocess, "Popen", lambda words, **_: started.append(words))
    shown.show()
    paths = forgotten.path, shown.path
    assert started[0][1:] == ["-P", "-m", "gradviz", str(shown.path)]
    del forgotten, shown
    assert [each.exists() for each in paths] == [False, True]
    paths[1].unlink()
    paths[1].parent.rmdir()


def test_numbers_of_a_trace_refer_to_its_tensors(tmp_path: Path) -> None:
    with gradviz.load(write_trace(tmp_path / "run.gradviz", linear_trace())) as trace:
        assert trace.tensor(1).record.id == 1
        with pytest.raises(KeyError):
            trace.tensor(10_000)


def test_only_the_first_access_delays_a_full_collection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc_pause, "moved_to_oldest_generation", pytest.fail)
    assert gradviz.record is record.record
