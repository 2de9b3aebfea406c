"""The pool with fake workers: how each job ends, and that nothing is left over."""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from gradviz.host.job_ending import JobEnding
from gradviz.host.limits import Limits
from gradviz.host.pool import ChildPool, PoolClosedError, run_blocking
from gradviz.model.inputs import Offer, RunSubject
from gradviz.protocol.messages import (
    ChildRequest,
    Described,
    DescribeRequest,
    Ready,
    RunRequest,
    WorkProgress,
)

STAND_IN = Path(__file__).parents[1] / "data" / "stand_ins" / "child.py"
REQUEST = DescribeRequest(path="x.py")
RUN = RunRequest(
    offer=Offer(subject=RunSubject(path="x.py", name="f"), title="f", inputs=()), trace="t"
)
NO_LIMITS = Limits(time_s=None, memory_bytes=None)


def command(mode: str) -> tuple[str, ...]:
    return (sys.executable, "-P", str(STAND_IN), mode)


def end_of(mode: str, **limits: float | None) -> JobEnding:
    return run_blocking(
        REQUEST,
        limits=Limits(**{"time_s": 20.0, "memory_bytes": None, **limits}),  # type: ignore[arg-type]
        command=command(mode),
    )


def test_another_spare_takes_the_place_of_the_first() -> None:
    ready = threading.Event()
    others = set(psutil.Process().children())
    with ChildPool(command=command("echo"), on_ready=lambda _: ready.set()) as pool:
        assert ready.wait(20)
        (first,) = set(psutil.Process().children()) - others
        ready.clear()
        pool.replace_spare()
        assert ready.wait(20)
        first.wait(20)
        assert len(set(psutil.Process().children()) - others) == 1


def test_messages_arrive_before_the_end() -> None:
    heard: list[object] = []
    ended = threading.Event()

    def on_end(ending: JobEnding) -> None:
        heard.append(ending.kind)
        ended.set()

    with ChildPool(command=command("echo")) as pool:
        limits = Limits(time_s=20.0, memory_bytes=123_456_789)
        pool.start(REQUEST, limits=limits, on_message=heard.append, on_end=on_end)
        assert ended.wait(20)
    assert heard == [
        WorkProgress(activity="run", done=1, total=2),
        Described(offers=(), problem="123456789 x.py"),
        "finished",
    ]


def test_on_ready_names_the_devices_of_each_child() -> None:
    heard: list[Ready] = []
    two = threading.Semaphore(0)

    def on_ready(ready: Ready) -> None:
        heard.append(ready)
        two.release()

    with ChildPool(command=command("echo"), on_ready=on_ready) as pool:
        assert pool.start(REQUEST).wait(20) is not None
        assert two.acquire(timeout=20)
        assert two.acquire(timeout=20)
        assert pool.ready == heard[-1]
    assert [device.name for device in heard[0].devices] == ["cpu"]


def test_exactly_one_spare_waits() -> None:
    before = set(psutil.Process().children())
    with ChildPool(command=command("silent")) as pool:
        jobs = [pool.start(REQUEST) for _ in range(2)]
        assert len(set(psutil.Process().children()) - before) <= 3
        until = time.monotonic() + 5
        while len(set(psutil.Process().children()) - before) < 3 and time.monotonic() < until:
            time.sleep(0.01)
        assert len(set(psutil.Process().children()) - before) == 3
        for job in jobs:
            job.cancel()
        assert [job.wait(5) for job in jobs] == [job.ending for job in jobs]
        assert all(job.ending is not None and job.ending.kind == "cancelled" for job in jobs)


def test_the_message_of_the_child_is_its_failure() -> None:
    ending = end_of("fail")
    assert (ending.kind, ending.sentence) == ("failed", "ValueError in forward (x.py, line 3): no.")


def test_a_child_that_stays_after_its_end_is_ended() -> None:
    began = time.monotonic()
    assert end_of("lingers").kind == "finished"
    assert time.monotonic() - began < 8


@pytest.mark.parametrize(
    ("mode", "kind", "words"),
    [
        ("exit", "exited", "exit code 7"),
        ("crash", "crashed", "SIGSEGV"),
        ("killed", "crashed", "Killed by SIGKILL, sent by"),
        ("garbage", "failed", "an invalid message"),
        ("no-start", "exited", "could not start: ModuleNotFoundError: No module named 'torch'."),
        ("idle-death", "exited", "exit code 1"),
    ],
)
def test_an_unexpected_end(mode: str, kind: str, words: str) -> None:
    ending = end_of(mode)
    assert ending.kind == kind
    assert words in ending.sentence


def test_time_is_up_while_python_runs() -> None:
    ending = end_of("busy", time_s=2.5)
    assert ending.kind == "timed_out"
    assert ending.sentence == "Stopped at the time limit of 2.5 s."


def test_time_is_up_while_python_is_stuck() -> None:
    ending = end_of("silent", time_s=2.5)
    assert ending.kind == "timed_out"
    blocked = re.search(r"C code had blocked Python for ([0-9.]+) s", ending.sentence)
    assert blocked is not None
    # At least that long; a busy machine notices it later.
    assert float(blocked[1]) >= 2.5


def test_other_limits_count_from_now_on() -> None:
    with ChildPool(keep_spare=False, command=command("busy")) as pool:
        job = pool.start(REQUEST, limits=NO_LIMITS)
        assert job.wait(1.0) is None
        began = time.monotonic()
        job.restart_clock(Limits(time_s=0.5, memory_bytes=None))
        ending = job.wait(20)
    assert time.monotonic() - began >= 0.5
    assert ending is not None
    assert ending.sentence == "Stopped at the time limit of 0.5 s."


def test_silence_alone_can_be_the_limit() -> None:
    ending = end_of("silent", silence_s=0.5)
    assert ending.kind == "timed_out"
    assert "blocked Python for" in ending.sentence


def test_a_slow_start_has_a_limit() -> None:
    ending = end_of("slow-start", start_s=0.5)
    assert (ending.kind, "importing torch" in ending.sentence) == ("timed_out", True)


def test_memory_is_watched() -> None:
    ending = end_of("memory", memory_bytes=150 << 20)
    assert ending.kind == "out_of_memory"
    assert "the limit is 150 MiB" in ending.sentence


def test_a_flood_on_stderr_is_drained_and_only_its_end_kept() -> None:
    ending = end_of("flood")
    assert ending.kind == "finished"
    assert ending.stderr.endswith("the last line\n")
    assert len(ending.stderr) <= 1 << 16


def test_descendants_are_gone_before_the_end_is_reported() -> None:
    def sleepers() -> set[int]:
        found = set()
        for each in psutil.process_iter(["pid", "cmdline"]):
            if (each.info["cmdline"] or [""])[-1] == "import time; time.sleep(300)":
                found.add(each.info["pid"])
        return found

    before = sleepers()
    assert end_of("family").kind == "finished"
    assert sleepers() - before == set()


def test_cancel_is_quick_and_comes_once() -> None:
    endings: list[JobEnding] = []
    with ChildPool(command=command("busy")) as pool:
        job = pool.start(REQUEST, limits=NO_LIMITS, on_end=endings.append)
        until = time.monotonic() + 20
        while pool.ready is None and time.monotonic() < until:
            time.sleep(0.01)
        began = time.monotonic()
        job.cancel()
        job.cancel()
        assert job.wait(5) is not None
        assert time.monotonic() - began < 1.0
    assert [each.kind for each in endings] == ["cancelled"]


def test_cancel_before_the_child_is_warm() -> None:
    with ChildPool(command=command("slow-start")) as pool:
        job = pool.start(REQUEST)
        job.cancel()
        ending = job.wait(5)
    assert ending is not None
    assert ending.kind == "cancelled"


def test_close_ends_what_runs_and_refuses_more() -> None:
    pool = ChildPool(command=command("busy"))
    job = pool.start(REQUEST, limits=NO_LIMITS)
    pool.close()
    assert job.ending is not None
    assert job.ending.kind == "cancelled"
    with pytest.raises(PoolClosedError):
        pool.start(REQUEST)


@pytest.mark.parametrize(("request_", "others"), [(RUN, 0), (REQUEST, 1)])
def test_a_run_has_the_machine_for_itself(request_: ChildRequest, others: int) -> None:
    with ChildPool(command=command("fail")) as pool:
        during: list[int] = []
        told = threading.Event()

        def on_end(ending: JobEnding) -> None:
            during.append(len(_children_of(pool)))
            told.set()

        pool.start(request_, on_end=on_end)
        assert told.wait(20)
        # The child itself is gone by then. The next one has not started yet, unless a run follows.
        assert during == [others]
        until = time.monotonic() + 20
        while not _children_of(pool) and time.monotonic() < until:
            time.sleep(0.01)
        assert len(_children_of(pool)) == 1


def test_a_spare_that_died_is_replaced() -> None:
    with ChildPool(command=command("idle-death")) as pool:
        until = time.monotonic() + 20
        while _children_of(pool) and time.monotonic() < until:
            time.sleep(0.01)
        ending = pool.start(REQUEST).wait(20)
    assert ending is not None
    assert ending.kind == "exited"


def _children_of(pool: ChildPool) -> list[psutil.Process]:
    return [each for each in psutil.Process().children() if _is_stand_in(each)]


def _is_stand_in(process: psutil.Process) -> bool:
    try:
        return str(STAND_IN) in process.cmdline()
    except psutil.Error:  # gone, or a zombie, since it was listed
        return False


def test_a_program_that_is_not_there() -> None:
    ending = run_blocking(REQUEST, command=("/nowhere/python",))
    assert ending.kind == "failed"
    assert "could not start" in ending.sentence


def test_a_job_ends_if_its_child_gets_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("gradviz.host.process.spawn", refuse)
    ending = run_blocking(REQUEST, command=command("echo"))
    assert ending.kind == "failed"
    assert "can't start new thread" in ending.sentence


@contextmanager
def other_folder(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(path)
    (path / "types.py").write_text("raise RuntimeError('this is not the types you look for')")
    (path / "gradviz").mkdir()
    yield


def test_works_from_a_folder_with_files_named_like_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with other_folder(tmp_path, monkeypatch):
        assert end_of("echo").kind == "finished"
