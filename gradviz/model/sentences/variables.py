"""What a source line did to local variables: created, set, changed or deleted them."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.model.index import Index
from gradviz.model.inside import Part
from gradviz.model.item import Item
from gradviz.model.messages import say
from gradviz.model.sentences.part_facts import facts_of
from gradviz.model.sentences.values import is_array, named, record_of, short, some, unnamed
from gradviz.model.tensor import TensorRecord


def variable_clauses(index: Index, part: Part, at: int) -> list[str]:
    """Clauses on what a line did to local variables, one for each kind of change."""
    line, facts = part.lines[at], facts_of(part)
    groups: dict[str, list[Item]] = {}
    for item in line.changes:
        way = _way(index, part, at, item, facts.before(at, item.name))
        groups.setdefault(way, []).append(item)
    clauses = []
    if made := groups.get("makes"):
        clauses.append(say("line.makes", values=some([named(index, item) for item in made])))
    clauses += [
        say(f"line.{way}", values=_assigned(index, groups[way]))
        for way in ("sets", "gives")
        if way in groups
    ]
    if changed := groups.get("changes"):
        clauses.append(_in_place(index, changed))
    if line.removed:
        clauses.append(say("line.deletes", names=some([short(name) for name in line.removed])))
    return clauses


def _way(index: Index, part: Part, at: int, item: Item, before: Item | None) -> str:
    """The kind of change, which is also the clause's key ``line.<way>``."""
    if _is_in_place(index, item, before):
        return "changes"
    if _is_made(index, part, at, item):
        return "makes"
    # It may be the same array or list with other contents, or a new one: that is unknown.
    same = before is not None and (
        (is_array(item) and is_array(before)) or (_is_container(item) and _is_container(before))
    )
    return "gives" if same else "sets"


def _is_container(item: Item) -> bool:
    return item.kind == "object" and item.text.startswith(("[", "{"))


def _assigned(index: Index, items: Sequence[Item]) -> str:
    """Names and new values: ``n to 3, a and b to None and x to a 2×3 tensor``."""
    groups: dict[tuple[int | None, str], list[str]] = {}
    for item in items:
        value = (item.tensor, unnamed(index, item))
        groups.setdefault(value, []).append(short(item.name))
    return some([say("line.set", names=some(names), value=v) for (_, v), names in groups.items()])


def _in_place(index: Index, items: Sequence[Item]) -> str:
    if len(items) > 1:
        return say("line.changes.more", names=some([short(item.name) for item in items]))
    value = unnamed(index, items[0])
    return say("line.changes.one", name=short(items[0].name), value=value)


def _is_in_place(index: Index, item: Item, before: Item | None) -> bool:
    """Whether a variable uses the same memory as before, with different elements."""
    now = record_of(index, item)
    then = None if before is None else record_of(index, before)
    if now is None or then is None or now.storage is None or now.id == then.id:
        return False
    if (now.storage, now.shape, now.strides) != (then.storage, then.shape, then.strides):
        return False
    return now.version != then.version or _differ(index, now, then)


def _differ(index: Index, one: TensorRecord, other: TensorRecord) -> bool:
    """Whether two tensors are known to differ; NumPy changes leave the version unchanged."""
    values = index.value(one.id), index.value(other.id)
    return None not in values and values[0] != values[1]


def _is_made(index: Index, part: Part, at: int, item: Item) -> bool:
    """Whether an op of this line returned the variable's tensor in new memory."""
    record = record_of(index, item)
    if record is None or record.storage is None:
        return False
    facts = facts_of(part)
    for op in (op for each in facts.within(at) for op in facts.ops.get(each, ())):
        if op.seen and record.storage in _storages(index, op.outputs):
            return record.storage not in _storages(index, op.inputs)
    return False


def _storages(index: Index, items: Sequence[Item]) -> set[int | None]:
    records = [record_of(index, item) for item in items]
    return {record.storage for record in records if record is not None}
