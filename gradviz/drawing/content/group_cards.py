"""Names of groups and descriptions of their contents, with exact numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

from gradviz.analysis.index.derivative_orders import order_text
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.drawing.content.box_placements import GraphBox
from gradviz.drawing.content.cards import leaf_name, made_title, node_name
from gradviz.drawing.content.drawn_graph import FULL, DrawingDetail, DrawnFrame, DrawnNode
from gradviz.drawing.content.plain_text import label_text
from gradviz.drawing.grouping.groups import Group, Hierarchy
from gradviz.model.graph import ModuleCall


def folded_card(
    index: TraceIndex,
    names: GroupNames,
    box: GraphBox,
    *,
    link: int | None = None,
    outputs: int = 0,
    detail: DrawingDetail = FULL,
) -> DrawnNode:
    """Build the card of a folded group, with its exact number of nodes.

    Args:
        index: The trace.
        names: Names of the trace's groups.
        box: The group.
        link: Mark of a group that is drawn in several places.
        outputs: Number of its outputs that have no card.
        detail: How much the card shows.
    """
    group = box.group
    assert group is not None
    counts = () if detail.overview else filter(None, (names.counts(group),))
    lines = [] if detail.overview and detail.brief else [*names.lines(group), *counts]
    if outputs:
        key = "drawing.more_output" if outputs == 1 else "drawing.more_outputs"
        lines.append(say(key, count=format_count(outputs)))
    return DrawnNode(
        id=f"g{group.key}",
        kind="folded",
        nodes=box.nodes,
        title=names.title(group),
        lines=tuple(lines),
        link=link,
        order=min(index.orders.of_node(node) for node in box.nodes),
        group=group.key,
        group_progress=len(box.nodes),
        inside=names.inside(group),
    )


def place_in_group(index: TraceIndex, card: DrawnNode, node: int) -> str:
    """Where a node is in a folded group: its module, or leaf, below the path in the card's title.

    Args:
        index: The trace.
        card: The card of the group.
        node: The node.

    Returns:
        A path like ``3.attn``; empty if the node is in no module inside the group.
    """
    record = index.node[node]
    if record.kind == "accumulate":
        path = leaf_name(record)
    elif record.module_call is not None:
        path = label_text(index.module[record.module_call].path)
    else:
        path = node_name(record)
    parts = path.split(".")
    known = zip(parts, card.title.split("."), strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], known))
    # A number alone says nothing.
    is_number = len(parts) == same + 1 and parts[-1].isdecimal()
    return ".".join(parts[max(0, same - is_number) :])


def frame_of(
    names: GroupNames, group: Group, parent: str, detail: DrawingDetail = FULL
) -> DrawnFrame:
    """Build the frame around an open group."""
    line = names.line(group)
    # A line leads from the node that made the group to its frame.
    brief = detail.brief and group.made_in is not None
    return DrawnFrame(
        id=f"f{group.key}",
        group=group.key,
        parent=parent,
        title=line if brief else names.title(group),
        line="" if brief else line,
    )


MOST_INSIDE = 10
"""Maximum number of kinds listed for a group's contents."""


class GroupNames:
    """Titles and descriptions for the groups of one trace."""

    def __init__(self, index: TraceIndex, hierarchy: Hierarchy) -> None:
        self._index = index
        self._hierarchy = hierarchy
        self._known: dict[int, tuple[int, ...]] = {}
        self._numbered: dict[int, dict[int, int]] = {}

    def title(self, group: Group) -> str:
        """Short title of a group: ``layers.3``, ``layers.0–11``, ``MulBackward0 × 2,000``."""
        if group.call is not None:
            return label_text(self._index.module[group.call].path)
        if group.made_in is not None:
            return made_title(self._index, group.made_in)
        if group.kind == "leaves":
            return say("drawing.leaves", count=format_count(group.leaf_count))
        if group.kind == "turn" and group.span is not None:
            first, _, count = group.span
            return say("drawing.turn", number=format_count(first), count=format_count(count))
        return self._of_turns(group) if group.span is not None else self.ends(group)

    def lines(self, group: Group) -> tuple[str, ...]:
        """Lines below the title: the class, and which of how many turns it represents."""
        found = []
        if group.call is not None:
            found += self._of_call(group, self._index.module[group.call])
        found += self._of_span(group)
        if group.kind == "turn":
            found.append(self.ends(group))
        if group.made_in is not None:
            orders = (self._index.orders.of_node(node) for node in self._nodes(group))
            found.append(order_text(min(orders, default=2)))
        return tuple(found)

    def line(self, group: Group) -> str:
        """The line beside a frame's title: what repeats in a module tells more than its class."""
        return next(iter(self._of_span(group) or self.lines(group)), "")

    def counts(self, group: Group) -> str:
        """Number of distinct nodes and leaves in a group; empty if the title says it."""
        if group.call is None and not group.leaf_count and self._repeated_node(group):
            return ""
        parts = []
        if group.node_count:
            key = "drawing.node" if group.node_count == 1 else "drawing.nodes"
            parts.append(say(key, count=format_count(group.node_count)))
        if group.leaf_count:
            key = "drawing.one_leaf" if group.leaf_count == 1 else "drawing.leaves"
            parts.append(say(key, count=format_count(group.leaf_count)))
        return " · ".join(parts)

    def inside(self, group: Group) -> tuple[str, ...]:
        """Direct contents of a group in backward order; equal entries are counted."""
        if group.span is not None and group.kind != "turn":
            turns = self._turns(group)
            if not self._calls(group):
                return self.inside(turns[0]) if turns else ()
        first: dict[str, int] = {}
        found: Counter[str] = Counter()
        for place, name in self._inner_names(group):
            found[name] += 1
            # Backward order is descending by position, so the largest position comes first.
            first[name] = max(place, first.get(name, place))
        names = sorted(found, key=lambda name: -first[name])
        lines = [
            name
            if found[name] == 1
            else say("drawing.times", count=format_count(found[name]), name=name)
            for name in names[:MOST_INSIDE]
        ]
        if len(names) > MOST_INSIDE:
            lines.append(say("drawing.more", count=format_count(len(names) - MOST_INSIDE)))
        return tuple(lines)

    def ends(self, group: Group) -> str:
        """First and last node of a group in backward order."""
        nodes = [self._index.node[node] for node in self._nodes(group)]
        inner = [node for node in nodes if node.kind != "accumulate"] or nodes
        first, last = node_name(inner[0], 28), node_name(inner[-1], 28)
        return first if len(inner) == 1 else f"{first} … {last}"

    def _nodes(self, group: Group) -> tuple[int, ...]:
        if group.number not in self._known:
            self._known[group.number] = self._hierarchy.inside(group.number)
        return self._known[group.number]

    def _inner_names(self, group: Group) -> list[tuple[int, str]]:
        position, nodes = self._hierarchy.position, self._index.node
        found = [
            (
                position[node],
                self._below(group, leaf_name(nodes[node]))
                if nodes[node].kind == "accumulate"
                else node_name(nodes[node]),
            )
            for node in group.nodes
        ]
        for number in group.groups:
            inner = self._hierarchy.groups[number]
            last = position[self._nodes(inner)[0]]
            found.append((last, self._below(group, self._one_line(inner))))
        return found

    def _one_line(self, group: Group) -> str:
        if group.call is None:
            return self.title(group)
        call = self._index.module[group.call]
        return " · ".join(dict.fromkeys((label_text(call.path), *self._class(call))))

    def _below(self, group: Group, name: str) -> str:
        """Shorten a name by the path of the group around it."""
        return name if group.call is None else name.removeprefix(f"{self.title(group)}.")

    def _of_call(self, group: Group, call: ModuleCall) -> list[str]:
        found = [name for name in self._class(call) if name != label_text(call.path)]
        whole = f"m{call.id}"
        if f"{whole}.2" in self._hierarchy.groups_by_key:
            number = group.key.removeprefix(whole).removeprefix(".") or "1"
            found.append(say("drawing.part_of_call", number=number))
        turns = self._numbers_of_turns(group)
        if group.number in turns:
            number, count = format_count(turns[group.number]), format_count(len(turns))
            found.append(say("drawing.turn", number=number, count=count))
        return found

    def _numbers_of_turns(self, group: Group) -> dict[int, int]:
        """Number of each call in the repetition around a call; empty if paths tell them apart."""
        around = self._hierarchy.groups[group.parent or 0]
        while around.kind == "part" and around.parent is not None:
            around = self._hierarchy.groups[around.parent]
        if around.kind != "repeat":
            return {}
        if around.number not in self._numbered:
            calls, turns = self._calls(around), self._turns(around)
            is_needed = len({call.path for call in calls}) < len(turns)
            numbers = {turn.number: at for at, turn in enumerate(turns, 1)}
            self._numbered[around.number] = numbers if is_needed else {}
        return self._numbered[around.number]

    def _class(self, call: ModuleCall) -> list[str]:
        return [label_text(call.class_name)] if call.class_name else []

    def _of_turns(self, group: Group) -> str:
        first, last, count = group.span or (0, 0, 0)
        calls = self._calls(group)
        if calls:
            return label_text(range_of([call.path for call in calls]))
        names = self._repeated_node(group)
        times = last - first + 1
        if times == count:
            key = "drawing.name_times" if names else "drawing.turns"
            return say(key, name=names, count=format_count(count))
        part = {
            "first": format_count(first),
            "last": format_count(last),
            "count": format_count(count),
        }
        return say("drawing.some_nodes" if names else "drawing.some_turns", name=names, **part)

    def _of_span(self, group: Group) -> list[str]:
        """What repeats in a group, and which turns it represents."""
        if group.span is None or group.kind not in ("module", "repeat", "part"):
            return []
        first, last, count = group.span
        calls, node = self._calls(group), self._repeated_node(group)
        found = []
        if calls:
            found.append(_times_called(calls))
        elif group.call is not None and node:
            found.append(say("drawing.name_times", name=node, count=format_count(count)))
        elif group.call is not None:
            found.append(say("drawing.turns", count=format_count(count)))
        if last - first + 1 < count and calls:
            part = {
                "first": format_count(first),
                "last": format_count(last),
                "count": format_count(count),
            }
            found.append(say("drawing.some", **part))
        if not calls and not node:
            found.append(self.ends(self._turns(group)[0]))
        return found

    def _calls(self, group: Group) -> list[ModuleCall]:
        """Module calls that are the turns of a group; empty if its turns are something else."""
        calls = [each.call for each in self._turns(group)]
        return [self._index.module[call] for call in calls if call is not None]

    def _turns(self, group: Group) -> list[Group]:
        """Groups that are the turns of a group, looking through parts."""
        found: list[Group] = []
        waiting = [group.number]
        while waiting:
            each = self._hierarchy.groups[waiting.pop()]
            if each is group or each.kind == "part":
                waiting += reversed(each.groups)
            else:
                found.append(each)
        return found

    def _repeated_node(self, group: Group) -> str:
        """Common name of a group's turns if they are nodes; else empty."""
        if group.span is None or group.kind == "turn" or self._turns(group):
            return ""
        nodes = (self._index.node[node] for node in self._nodes(group))
        return next((node_name(node) for node in nodes if node.kind != "accumulate"), "")


def _times_called(calls: Sequence[ModuleCall]) -> str:
    """Like ``12 × Linear`` for twelve modules; one module called twelve times says so."""
    paths = {call.path for call in calls}
    name, count = label_text(calls[0].class_name) or "?", format_count(len(calls))
    if len(paths) == len(calls):
        return say("drawing.times", count=count, name=name)
    if len(paths) == 1:
        return say("drawing.called", count=count, name=name)
    return say("drawing.calls", count=count, modules=format_count(len(paths)), name=name)


# Not ``\d``, which also accepts digits of other scripts.
_NUMBER = re.compile(r"(?<![^.\[])([0-9]{1,9})(?![^.\]])")


def range_of(paths: Sequence[str]) -> str:
    """Join paths that differ in one number: ``layers.0–11.norm``; else first and last."""
    distinct = list(dict.fromkeys(paths))
    first, last = _NUMBER.split(distinct[0]), _NUMBER.split(distinct[-1])
    differing = [at for at, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]]
    if len(first) == len(last) and len(differing) == 1 and differing[0] % 2:
        at = differing[0]
        before, after = "".join(first[:at]), "".join(first[at + 1 :])
        numbers = range(int(first[at]), int(first[at]) + len(distinct))
        if distinct == [f"{before}{number}{after}" for number in numbers]:
            return f"{before}{first[at]}–{last[at]}{after}"
    return distinct[0] if len(distinct) == 1 else f"{distinct[0]} … {distinct[-1]}"
