"""Sentences about a tensor without a history: where that ends, and what helps."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.catalogue.messages import say, say_list
from gradviz.recorder.call_site_names import COMPARISONS
from gradviz.recorder.errors.history_ends import NUMBERS, HistoryEnd, line_text
from gradviz.text.punctuation import join_sentences


def end_sentences(
    first: str, ends: Sequence[HistoryEnd], left: HistoryEnd | None
) -> tuple[str, HistoryEnd | None]:
    """A sentence about a tensor, where its history ends as far as known, and what helps.

    Args:
        first: The first sentence.
        ends: Where the histories ended that it depends on.
        left: The last call that took values out of torch; None if there was none.

    Returns:
        The text, and the first end; None if unknown.
    """
    told = [first]
    if ends:
        told.append(say("refused.ends", ends=say_list([end_text(each) for each in ends])))
        told += dict.fromkeys(map(remedy_text, ends))
        return join_sentences(told), ends[0]
    if left is not None:
        told.append(say("refused.left", line=line_text(left.location), op=left.op))
        return join_sentences(told), left
    return join_sentences([*told, say("refused.none")]), None


def end_text(end: HistoryEnd) -> str:
    """The call that ends a history, with its line, as a member of a list."""
    if end.op in COMPARISONS:
        return say("refused.end.compared", line=line_text(end.location))
    value = f"{end.op}({end.name})" if end.name else end.op
    return say(f"refused.end.{end.kind}", op=value, line=line_text(end.location))


def remedy_text(end: HistoryEnd) -> str:
    """A sentence on what helps."""
    return say(f"refused.remedy.{_remedy(end)}")


def _remedy(end: HistoryEnd) -> str:
    if end.kind == "call":
        if end.op in ("detach", "detach_", "data"):
            return "detach"
        if end.op in NUMBERS:
            return "outside"
    return end.kind
