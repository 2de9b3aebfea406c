"""Sentences about a tensor without a history: where that ends, and what helps."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.catalogue.messages import say, say_list
from gradviz.model.source import Location
from gradviz.recorder.errors.history_ends import HistoryEnd, line_text
from gradviz.text.punctuation import join_sentences


def end_sentences(
    first: str, name: str, ends: Sequence[HistoryEnd], left: HistoryEnd | None
) -> tuple[str, Location | None]:
    """A sentence about a tensor, where its history ends as far as known, and what helps.

    Args:
        first: Key of the first sentence.
        name: The tensor.
        ends: Where the histories ended that it depends on.
        left: The last call that took values out of torch; None if there was none.

    Returns:
        The text, and the line where the first one ended; None if unknown.
    """
    told = [say(first, name=name)]
    if ends:
        told.append(say("refused.ends", ends=say_list([_end_text(each) for each in ends])))
        told += dict.fromkeys(say(f"refused.remedy.{_remedy(each)}") for each in ends)
        return join_sentences(told), ends[0].location
    if left is not None:
        told.append(say("refused.left", line=line_text(left.location), op=left.op))
        return join_sentences(told), left.location
    return join_sentences([*told, say("refused.none")]), None


def _end_text(end: HistoryEnd) -> str:
    value = f"{end.op}({end.name})" if end.name else end.op
    return say(f"refused.end.{end.kind}", op=value, line=line_text(end.location))


def _remedy(end: HistoryEnd) -> str:
    return "detach" if end.kind == "call" and end.op in ("detach", "detach_", "data") else end.kind
