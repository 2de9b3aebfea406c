"""Which part of a run was recorded."""

from __future__ import annotations

from collections.abc import Iterable

from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_list
from gradviz.catalogue.numbers import number_text
from gradviz.model.settings.recording_scope import ALL_PASSES, PassRange, RecordingScope
from gradviz.text.phrases import size_text


def scope_sentences(scope: RecordingScope) -> tuple[str, ...]:
    """What a recording contains of the run, one sentence for each limit."""
    found = (
        _rank(scope, "scope.rank"),
        _passes_sentence(scope),
        _only(scope, "scope.only"),
        _stop_sentence(scope),
        *_left_out(scope, "scope.without"),
    )
    return tuple(filter(None, found))


def scope_notes(scope: RecordingScope) -> tuple[str, ...]:
    """The same as short notes."""
    found = (
        _rank(scope, "scope.note.rank"),
        _passes_note(scope),
        _only(scope, "scope.note.only"),
        _stop_note(scope),
        *_left_out(scope, "scope.note.without"),
    )
    return tuple(filter(None, found))


def _rank(scope: RecordingScope, key: str) -> str:
    if scope.rank is None:
        return ""
    return say(key, rank=scope.rank.number, count=scope.rank.count)


def _passes_sentence(scope: RecordingScope) -> str:
    if scope.passes == ALL_PASSES:
        return ""
    if scope.first_pass is None:
        return say("scope.passes.none")
    if scope.kept:
        return say("scope.passes.sample", kept=ranges_text(scope.kept), count=_count_text(scope))
    return say(
        "scope.passes.one" if scope.first_pass == scope.last_pass else "scope.passes.more",
        first=scope.first_pass,
        last=scope.last_pass,
        count=_count_text(scope),
    )


def _count_text(scope: RecordingScope) -> str:
    count = scope.run_passes
    return say("scope.count.unknown") if count is None else format_count(count)


def ranges_text(ranges: Iterable[tuple[int, int]]) -> str:
    """Rows of numbers by the first and the last of each, such as ``1 to 20, 50, 100 and 200``."""
    rows = []
    for first, last in ranges:
        key = "scope.kept.one" if first == last else "scope.kept.more"
        rows.append(say(key, first=format_count(first), last=format_count(last)))
    return say_list(rows)


def _passes_note(scope: RecordingScope) -> str:
    if scope.passes == ALL_PASSES or scope.first_pass is None:
        return ""
    key = "scope.passes.first" if scope.first_pass == scope.last_pass else "scope.passes.range"
    passes = say(key, first=scope.first_pass, last=scope.last_pass)
    if scope.kept:
        count = sum(last - first + 1 for first, last in scope.kept)
        passes = say("scope.passes.count", count=format_count(count))
    if scope.run_passes is None:
        return passes
    return say("scope.passes.of", passes=passes, count=format_count(scope.run_passes))


def _stop_sentence(scope: RecordingScope) -> str:
    if not scope.stopped:
        missed = scope.until and scope.run_passes is not None
        return say("scope.not_stopped", condition=scope.until) if missed else ""
    reason = _reason(scope)
    if scope.last_pass is None:
        return say("scope.stopped", reason=reason)
    if scope.run_passes is None:
        return say("scope.stopped.after", reason=reason, last=scope.last_pass)
    count = format_count(scope.run_passes)
    return say("scope.stopped.of", reason=reason, last=scope.last_pass, count=count)


def _reason(scope: RecordingScope) -> str:
    if scope.stopped == "loss" and scope.loss is None:
        return say("scope.reason.condition", condition=scope.until)
    size = size_text(scope.max_bytes or 0)
    loss = "" if scope.loss is None else number_text(scope.loss)
    return say(f"scope.reason.{scope.stopped}", size=size, loss=loss)


def _stop_note(scope: RecordingScope) -> str:
    return say("scope.note.stopped", reason=_reason(scope)) if scope.stopped else ""


def _only(scope: RecordingScope, key: str) -> str:
    return say(key, path=scope.only) if scope.only else ""


def _left_out(scope: RecordingScope, key: str) -> tuple[str, ...]:
    return (
        "" if scope.values else say(f"{key}.values"),
        "" if scope.source else say(f"{key}.source"),
    )


def range_text(passes: PassRange) -> str:
    """A range of passes as ``passes 3–5``, ``pass 3`` or ``passes 3–``."""
    key = "scope.passes.first" if passes.first == passes.last else "scope.passes.range"
    return say(key, first=passes.first, last=passes.last or "")
