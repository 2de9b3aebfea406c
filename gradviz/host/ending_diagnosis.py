"""Outcome of a job, derived from the facts about its child process."""

from __future__ import annotations

import signal
from dataclasses import dataclass

from gradviz.catalogue.messages import say
from gradviz.host.crash_location import code_line_in_stacks, last_line
from gradviz.host.job_ending import (
    CodeLine,
    EndingCode,
    EndingKind,
    JobEnding,
    ending_sentence,
    seconds_text,
    signal_meaning,
)
from gradviz.host.limits import LimitReached
from gradviz.protocol import exit_codes
from gradviz.protocol.messages import Finished


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedChild:
    """Facts about an ended child process.

    Attributes:
        path: The user's file; empty for a scene.
        finished: Its last message, if there was one.
        stop: The exceeded limit for which the host killed it, if there was one.
        cancelled: Whether it was cancelled.
        problem: What was wrong with its messages, or empty.
        was_ready: Whether it had imported torch.
        slow_start_s: The limit for importing torch, if that took longer.
        start_error: Why the program could not be started, or empty.
        outlived_pipe: Whether it still ran when its pipe was closed, so that the host killed it.
        oom_kills: How many processes the system has killed meanwhile because memory ran out; None
            if unknown.
        code: Exit code; None if it never started.
        stacks: Text that contains faulthandler's stacks.
        stderr: End of its stderr.
    """

    path: str = ""
    finished: Finished | None = None
    stop: LimitReached | None = None
    cancelled: bool = False
    problem: str = ""
    was_ready: bool = True
    slow_start_s: float | None = None
    start_error: str = ""
    outlived_pipe: bool = False
    oom_kills: int | None = None
    code: int | None = None
    stacks: str = ""
    stderr: str = ""


def diagnose_ending(facts: EndedChild) -> JobEnding:
    """Derive the outcome; the child's own report takes precedence over the host's actions."""
    if facts.finished is not None:
        problem, line = facts.finished.problem, facts.finished.line
        place = CodeLine(path=facts.path, line=line, function="") if line and facts.path else None
        return JobEnding(
            kind="failed" if problem else "finished",
            sentence=problem,
            place=place,
            code=facts.code,
            stderr=facts.stderr,
        )
    if facts.stop is not None:
        place = code_line_in_stacks(facts.stacks, facts.path)
        return JobEnding(
            kind=facts.stop.kind,
            sentence=facts.stop.sentence(place),
            place=place,
            code=facts.code,
            stderr=facts.stderr,
            limit=facts.stop.limit,
        )
    if facts.cancelled:
        return _plain(facts, "cancelled", "cancelled")
    return _unexpected(facts)


def _unexpected(facts: EndedChild) -> JobEnding:
    if facts.problem:
        return _plain(facts, "failed", "no_message", reason=facts.problem)
    if facts.start_error:
        return _plain(facts, "failed", "not_started", reason=facts.start_error)
    if facts.slow_start_s is not None:
        return _plain(facts, "timed_out", "slow_start", limit=seconds_text(facts.slow_start_s))
    if facts.outlived_pipe or facts.code == exit_codes.PIPE_LOST:
        return _plain(facts, "exited", "pipe_lost")
    # Popen reports death by signal n as -n.
    if facts.code is not None and facts.code < 0:
        return _crashed(facts, facts.code)
    if not facts.was_ready:
        return _plain(facts, "exited", "not_started", reason=last_line(facts.stderr))
    if facts.code == exit_codes.BUG:
        return _plain(facts, "failed", "bug", reason=last_line(facts.stderr))
    return _plain(facts, "exited", "exited", exit_code=str(facts.code))


def _plain(facts: EndedChild, kind: EndingKind, why: EndingCode, **values: str) -> JobEnding:
    """An ending without a place in the user's file."""
    text = ending_sentence(why, None, **values)
    return JobEnding(kind=kind, sentence=text, code=facts.code, stderr=facts.stderr)


def _crashed(facts: EndedChild, code: int) -> JobEnding:
    try:
        name = signal.Signals(-code).name
    except ValueError:  # a real-time signal has no name
        name = say("signal.number", number=-code)
    place = code_line_in_stacks(facts.stacks, facts.path)
    # A process cannot catch SIGKILL, so faulthandler has written no stack.
    if name == "SIGKILL":
        text = ending_sentence(_killer(facts.oom_kills))
    else:
        text = ending_sentence("crashed", place, signal=name, meaning=signal_meaning(name))
    return JobEnding(
        kind="crashed", sentence=text, place=place, signal=name, code=code, stderr=facts.stderr
    )


def _killer(oom_kills: int | None) -> EndingCode:
    if oom_kills is None:
        return "killed"
    return "killed_for_memory" if oom_kills > 0 else "killed_by_process"
