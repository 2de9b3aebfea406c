"""Damaged traces raise nothing but `TraceError`, and take neither long nor much memory."""

from __future__ import annotations

import gc
import os
import sqlite3
import weakref
from dataclasses import replace
from itertools import count, repeat
from pathlib import Path
from types import SimpleNamespace

import pytest

from gradviz.api.loaded_trace import load
from gradviz.cli.main import main
from gradviz.store.errors import TraceError
from gradviz.store.reader import open_trace
from tests.fuzz.__main__ import _kind, requests
from tests.fuzz.case import FuzzCase, intact_trace
from tests.fuzz.mutations import case_number, log_of
from tests.fuzz.outputs import show_all
from tests.fuzz.pool import FuzzPool, FuzzRequest
from tests.fuzz.worker import CaseRunner

FINDINGS = sorted((Path(__file__).parent / "findings").glob("*.json"))
CRASHED = Path(__file__).parent / "findings" / "block-beyond-text.json"
"""Ended the process of the window."""
FEW = 6


def test_a_few_damaged_traces() -> None:
    plain = [replace(each, draw=False, window="") for each in requests(1, 1, FEW)]
    crashed = FuzzCase.from_json(CRASHED.read_text())
    in_window = FuzzRequest(number=0, given=crashed, window="open")
    # SQLite must not map the file into memory, where reading what is cut off ends the process.
    overwritten = [
        FuzzRequest(number=at, given=FuzzCase(trace="check", changes=(change,)), window="damaged")
        for at, change in enumerate((("cut", 8192), ("zero", 0, 1 << 20)))
    ]
    with FuzzPool(1) as pool:
        answers = pool.problems([*plain, in_window, *overwritten])
        found = [f"{each.number}: {problem}" for each, problem in answers if problem]
    assert found == []


@pytest.mark.parametrize("path", FINDINGS, ids=lambda path: path.stem)
def test_what_went_wrong_before(path: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.gradviz"
    FuzzCase.from_json(path.read_text()).write(damaged)
    show_all(damaged, draw=False)


def test_the_log_of_another_trace_is_read(tmp_path: Path) -> None:
    """So that these cases of the fuzzer do more than leave the trace as it is."""
    path, other = tmp_path / "run.gradviz", intact_trace("modules")
    wal = (("write", 18, b"\2\2"), ("log", log_of(other, 1)))
    FuzzCase(trace="types", changes=wal).write(path)
    connection = sqlite3.connect(path)
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.close()
    assert pages == len(other) // 4096 != len(intact_trace("types")) // 4096


def test_a_seed_gives_the_same_traces() -> None:
    assert case_number(3, 7) == case_number(3, 7) != case_number(3, 8)
    text = case_number(3, 7).to_json()
    assert FuzzCase.from_json(text).to_json() == text


def test_a_repeated_value_stays_small() -> None:
    """Repeated 20,000 times without a limit, this one would make a file of 766 MB."""
    case = case_number(13, 13411)
    assert 1 << 20 < max(len(text) for _, _, (text, _) in case.changes) < 20 << 20


def test_a_worker_builds_the_case_itself() -> None:
    request = FuzzRequest(seed=7, number=7202, draw=True)
    assert len(request.message()) < 100
    assert FuzzRequest.from_message(request.message().decode()) == request
    given = replace(request, given=case_number(3, 7))
    assert FuzzRequest.from_message(given.message().decode()).case.to_json() == given.case.to_json()


def test_what_a_worker_wrote_before_it_ended_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FuzzRequest, "message", lambda _: b"no JSON\n")
    with FuzzPool(1) as pool:
        ((_, problem),) = pool.problems([FuzzRequest(number=1)])
    assert problem.startswith("ended with code 1\nTraceback")
    assert "JSONDecodeError" in problem


def test_a_worker_collects_what_cases_leave(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Cycle:
        pass

    left: list[weakref.ref[Cycle]] = []

    def leave_cycle(*_: object, draw: bool) -> None:
        cycle = Cycle()
        vars(cycle)["itself"] = cycle
        left.append(weakref.ref(cycle))

    monkeypatch.setattr("tests.fuzz.worker.show_all", leave_cycle)
    runner, request = CaseRunner(tmp_path), FuzzRequest(seed=3, number=7)
    gc.disable()  # As the window does.
    try:
        assert [runner.problem(request), runner.problem(request)] == ["", ""]
    finally:
        gc.enable()
    assert left[0]() is None


def test_the_window_may_wait_while_others_take_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.fuzz import window

    activities = iter(["layout"] * 4 + [""] * 4)
    waiting = window.FuzzWindow.__new__(window.FuzzWindow)
    waiting._app = SimpleNamespace(processEvents=lambda *_: None)  # noqa: SLF001
    monkeypatch.setattr(waiting, "_activity", lambda: next(activities))
    clock = SimpleNamespace(
        monotonic=count(0, 20).__next__, process_time=lambda: 0.0, sleep=lambda _: None
    )
    monkeypatch.setattr(window, "time", clock)
    waiting._wait()  # noqa: SLF001
    assert next(activities) == ""
    activities = repeat("layout")
    clock.process_time = count(0, 7).__next__
    with pytest.raises(TimeoutError, match="worked for 20 s: layout"):
        waiting._wait()  # noqa: SLF001


@pytest.mark.parametrize(
    ("problem", "kind"),
    [
        ("took 6.5 s", "took s (lines, read)"),
        ("took 512 MiB", "took MiB (lines, read)"),
        ("ended with code -11", "ended with code -11 (lines, read)"),
        ("ended with code 1\nKeyError: 7 in a", "ended with code 1 (lines, read)"),
        ("KeyError: 7 in a.py:f > b.py:g", "KeyError in a.py:f > b.py:g (lines, read)"),
    ],
)
def test_findings_of_one_cause_are_one_kind(problem: str, kind: str) -> None:
    assert _kind(FuzzRequest(number=1, given=FuzzCase(trace="lines", changes=())), problem) == kind


def test_elements_that_are_damaged_later_cost_only_themselves(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    FuzzCase(trace="check", changes=()).write(path)
    told: list[str] = []
    with open_trace(path, repair=True) as reader, open_trace(path) as strict, load(path) as loaded:
        first, second = [each.id for each in reader.trace().tensors if each.content == "whole"][:2]
        strict.trace()
        reader.on_damage = told.append
        damage = ("sql", "UPDATE tensor SET data = NULL", ())
        FuzzCase(trace="check", changes=(damage,)).write(path)
        assert [reader.value(first), reader.value(second)] == [None, None]
        assert len(told) == 1
        with pytest.raises(TraceError):
            strict.value(first)
        with pytest.raises(TraceError):
            loaded.tensor(first).numpy()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_pipe_is_not_opened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pipe.gradviz"
    os.mkfifo(path)
    with pytest.raises(TraceError, match="not a regular file"):
        open_trace(path)
    assert main(["steps", str(path)]) == 2
    assert "it is a pipe or device, not a regular file." in capsys.readouterr().err


def test_json_of_no_elements_is_short(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    shape = "[300000000,0]"
    change = f"json_set(json, '$[2]', json('{shape}'), '$[10]', json('{shape}'))"
    statement = f"UPDATE tensor SET json = {change}, data = x''"
    FuzzCase(trace="modules", changes=(("sql", statement, ()),)).write(path)
    show_all(path, draw=False)
