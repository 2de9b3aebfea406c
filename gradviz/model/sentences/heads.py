"""What an ``if`` or a loop did, inferred from the line that ran after its head."""

from __future__ import annotations

from gradviz.model.index import Index
from gradviz.model.inside import Part
from gradviz.model.messages import say
from gradviz.model.sentences.code import Head, definition_at, head_at
from gradviz.model.sentences.part_facts import facts_of


def head_clauses(index: Index, part: Part, at: int) -> list[str]:
    """Clauses on a condition or an iteration, if a line is a statement head; else none."""
    line = part.lines[at]
    head = head_at(index, line) if line.finished else None
    entered = None if head is None else _enters(part, at, head)
    if head is None or entered is None:
        return []
    if head.kind == "if":
        return [say("line.true" if entered else "line.false")]
    function = part.frames[line.frame].function
    turns = facts_of(part).turns_before(at, head)
    if definition_at(index, function) == "generator":
        # Earlier iterations of a generator belong to another call.
        clauses = [say("line.turn.some" if entered else "line.ends")]
    elif entered:
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
    """Whether the body ran next; None if that is unknown."""
    after = facts_of(part).after(at)
    if after is not None:
        return part.lines[after].location.line in head.body
    if head.kind == "for" and part.lines[at].changes:
        return True
    # No further line of this call: it ended here, unless its recording was cut short.
    return False if part.finished and not part.more_lines else None
