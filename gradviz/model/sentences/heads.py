"""What the head of an ``if`` or a loop did, found out from the line that ran after it."""

from __future__ import annotations

from gradviz.model.index import Index
from gradviz.model.inside import Part
from gradviz.model.messages import say
from gradviz.model.sentences.code import Head, head_at


def head_clauses(index: Index, part: Part, at: int) -> list[str]:
    """What to say of a line because of what it is the head of; nothing of any other line."""
    line = part.lines[at]
    head = head_at(index, line) if line.finished else None
    entered = None if head is None else _enters(part, at, head)
    if head is None or entered is None:
        return []
    if head.kind == "if":
        return [say("line.true" if entered else "line.false")]
    turns = _turns_before(part, at, head)
    if entered:
        clauses = [say("line.turn", number=f"{turns + 1:,}")]
    elif not turns:
        clauses = [say("line.ends.none")]
    else:
        key = "line.ends.one" if turns == 1 else "line.ends.more"
        clauses = [say(key, count=f"{turns:,}")]
    if head.kind == "while":
        clauses.insert(0, say("line.true" if entered else "line.false"))
    return clauses


def _enters(part: Part, at: int, head: Head) -> bool | None:
    """Whether the body ran next; None where that is not known."""
    line = part.lines[at]
    for after in part.lines[at + 1 :]:
        if after.frame == line.frame:
            return after.location.line in head.body
    if head.kind == "for" and line.changes:
        return True
    # The function ended here, unless the recording of it did.
    return False if part.finished and not part.more_lines else None


def _turns_before(part: Part, at: int, head: Head) -> int:
    """How many turns the loop had before its head ran this time."""
    line, turns = part.lines[at], 0
    for before in reversed(part.lines[:at]):
        if before.frame != line.frame:
            continue
        if before.location.line == line.location.line:
            turns += 1
        elif before.location.line not in head.whole:
            break
    return turns
