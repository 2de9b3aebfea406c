"""Which limit was reached, and the sentence for it."""

from __future__ import annotations

from dataclasses import replace

from gradviz.host.job_ending import CodeLine
from gradviz.host.limits import ChildUsage, Limits, check_limits

LIMITS = Limits(time_s=10.0, memory_bytes=10**9, silence_s=5.0)
PLACE = CodeLine(path="/home/a/loop.py", line=4, function="forward")


def sign(running_s: float = 1.0, silent_s: float = 0.1, memory_bytes: int = 1) -> ChildUsage:
    return ChildUsage(running_s=running_s, silent_s=silent_s, memory_bytes=memory_bytes)


def test_within_the_limits_nothing_happens() -> None:
    assert check_limits(LIMITS, sign(10.0, 5.0, 10**9)) is None


def test_no_limits_never_stop() -> None:
    free = Limits(time_s=None, memory_bytes=None, silence_s=None)
    assert check_limits(free, sign(1e9, 1e9, 10**15)) is None


def test_a_loop_in_python_is_distinguished_from_a_call_that_holds_the_lock() -> None:
    loop, call = check_limits(LIMITS, sign(10.1)), check_limits(LIMITS, sign(10.1, 4.0))
    assert loop is not None
    assert call is not None
    assert loop.kind == call.kind == "timed_out"
    assert loop.sentence(None) == "Stopped at the time limit of 10 s."
    assert loop.sentence(PLACE) == (
        "Stopped at the time limit of 10 s, in forward (loop.py, line 4)."
    )
    assert call.sentence(PLACE) == (
        "Stopped at the time limit of 10 s, in forward (loop.py, line 4); C code that it "
        "called had blocked Python for 4 s."
    )


def test_silence_stops_before_the_time_is_up() -> None:
    stop = check_limits(LIMITS, sign(6.0, 5.5))
    assert stop is not None
    assert stop.code == "silent"


def test_a_suspended_process_is_not_blocked_by_c_code() -> None:
    stop = check_limits(LIMITS, replace(sign(2.0, 1.6), is_suspended=True))
    assert stop is not None
    assert stop.sentence(PLACE) == (
        "Stopped because a signal, such as SIGSTOP, had suspended its process for 1.6 s."
    )


def test_memory_comes_first() -> None:
    stop = check_limits(LIMITS, sign(99.0, 99.0, 12 * 10**8))
    assert stop is not None
    assert stop.kind == "out_of_memory"
    assert stop.sentence(PLACE) == (
        "Stopped in forward (loop.py, line 4) because it used 1.12 GiB of memory;"
        " the limit is 954 MiB."
    )


def test_a_large_trace_stops() -> None:
    usage = replace(sign(), trace_bytes=3 * 10**9)
    stop = check_limits(replace(LIMITS, trace_bytes=2 * 10**9), usage)
    assert stop is not None
    assert (stop.kind, stop.limit) == ("trace_full", "trace")
    assert stop.sentence(PLACE) == "Stopped at the limit of 1.86 GiB for the size of a trace."
    assert check_limits(replace(LIMITS, trace_bytes=None), usage) is None


def test_the_default_allows_half_of_the_memory() -> None:
    limit = Limits().memory_bytes
    assert limit is not None
    assert limit > 0
