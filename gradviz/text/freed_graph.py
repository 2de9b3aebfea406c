"""A sentence about a node that cannot run again, because a pass has freed what it saved."""

from __future__ import annotations

from gradviz.analysis.freed_graph import FreedGraph
from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.memory_writes import MemoryWrite
from gradviz.analysis.memory.saved_conflicts import SavedTensorConflict
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.messages import say, say_list
from gradviz.model.source import Location
from gradviz.model.step import ForwardStep, PassBeginStep
from gradviz.text.memory_versions import node_name, write_subject
from gradviz.text.position_names import position_location, position_name
from gradviz.text.punctuation import join_sentences
from gradviz.text.saved_conflicts import saved_name, saver_name
from gradviz.text.sentences.code_quotes import assigned_at, expressions_at, quoted_statement


def freed_graph_sentence(
    index: TraceIndex, found: FreedGraph, node: int
) -> tuple[str, Location | None]:
    """Which pass has freed what a node saved, how both came to it and what helps; and the line.

    Args:
        index: The trace.
        found: What is known of it.
        node: The node.
    """
    begin, number = step_at(index, found.freed_by.first), found.freed_by.name
    line = begin.location if isinstance(begin, PassBeginStep) else None
    first = say("finding.freed_graph.pass", number=number)
    if line is not None:
        first = say("finding.freed_graph.pass.line", number=number, line=line.line)
    name, made = node_name(index, node), found.made
    if made is not None and made.location is not None:
        code = quoted_statement(index, made.location)
        op = f"`{code}`" if code else name if made.call is not None else made.op
        name = say("finding.freed_graph.node", node=name, op=op, line=made.location.line)
    told = [say("finding.freed_graph", node=name, first=first)]
    if found.how == "built_once" and made is not None and made.location is not None:
        told.append(say("finding.freed_graph.built_once", line=made.location.line))
        return join_sentences(told), made.location
    if found.carried_by is None:
        told.append(say("finding.freed_graph.shared"))
        return join_sentences(told), line
    place = TracePosition(step=found.carried_by)
    carrier, name = position_name(index, place), _name_carried(index, found)
    named = "" if name else ".unnamed"
    told.append(say(f"finding.freed_graph.through{named}", carrier=carrier, name=name))
    if found.how == "carried":
        told.append(say(f"finding.freed_graph.carried{named}", name=name))
    else:
        told.append(say("finding.freed_graph.shared"))
        told.append(say(f"finding.freed_graph.cut{named}", name=name))
    return join_sentences(told), position_location(index, place) or line


def kept_graph_sentence(
    index: TraceIndex, found: FreedGraph, clash: SavedTensorConflict, write: MemoryWrite
) -> tuple[str, Location | None]:
    """Through which tensor a pass came to a graph whose saved tensors were changed; and the line.

    Args:
        index: The trace.
        found: A graph that an earlier pass has kept, and that is carried into a later iteration.
        clash: A saved tensor that was changed.
        write: What has changed it.
    """
    place = TracePosition(step=found.carried_by or 0)
    begin, name = step_at(index, found.freed_by.first), _name_carried(index, found)
    line = begin.location if isinstance(begin, PassBeginStep) else None
    told = say(
        "finding.freed_graph.kept",
        name=name or say("refused.result"),
        number=str(found.freed_by.pass_id),
        line=0 if line is None else line.line,
        carrier=position_name(index, place),
        write=write_subject(index, write),
        saved=saved_name(index, clash),
        saver=saver_name(index, clash.slot.node),
    )
    return told, position_location(index, place) or line


def _name_carried(index: TraceIndex, found: FreedGraph) -> str:
    """How the source names the tensors through which a pass came to older parts; or empty."""
    user, maker = step_at(index, found.carried_by or 0), step_at(index, found.older or 0)
    if not isinstance(user, ForwardStep) or not isinstance(maker, ForwardStep):
        return ""
    made = {item.tensor for item in maker.outputs}
    read = expressions_at(index, user.location)
    used = [item.name for item in user.inputs if item.tensor in made]
    # An op may get the elements of a tuple that the source names as a whole.
    names = [each if each in read else each.partition("[")[0] for each in used]
    assigned = assigned_at(index, maker.location)
    known = [each for each in dict.fromkeys(names) if each in read]
    return say_list(known or [assigned if assigned in read else ""])
