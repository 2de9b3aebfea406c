"""Explanation of torch's error about a modified saved tensor, from the recorded data."""

from __future__ import annotations

from gradviz.model.index import Index
from gradviz.model.messages import say
from gradviz.model.place_names import location_of, place_name
from gradviz.model.places import Place
from gradviz.model.query import step_at
from gradviz.model.step import ForwardStep
from gradviz.model.version_words import node_name
from gradviz.model.versions import Clash, clashes_at
from gradviz.recorder.judge import Judge
from gradviz.recorder.log import Log
from gradviz.store.reader import open_trace

_MOST_STEPS = 20_000
"""In longer runs, the history of a tensor is only computed on request."""


def judge_saved(log: Log, judge: Judge, node: int, step: int) -> None:
    """Report which tensor was changed, where that was, and where torch raised.

    Args:
        log: Its file is read back.
        judge: Records the findings.
        node: The node that torch refused to execute.
        step: The step in which torch raised.
    """
    if step > _MOST_STEPS:
        return
    log.flush()
    with open_trace(log.path, live=True) as reader:
        index = reader.index()
        for clash in clashes_at(index, node):
            _tell(index, judge, clash, step)


def _tell(index: Index, judge: Judge, clash: Clash, step: int) -> None:
    change, saved = clash.change, clash.history.versions[clash.saved]
    place = change.place
    line = location_of(index, place)
    words = {
        "node": node_name(index, clash.node),
        "name": clash.name,
        "where": place_name(index, _told_shortly(index, place)),
    }
    if place.step != step:
        message = say("finding.saved_modified.here", **words)
        judge.say(
            "saved_modified", message, "error", step=place.step, node=clash.node, location=line
        )
    message = say("finding.saved_modified.uncounted", **words)
    if saved.counter is not None and change.counter is not None:
        message = say("finding.saved_modified", saved=saved.counter, now=change.counter, **words)
    judge.say("saved_modified", message, "error", step=step, node=clash.node, location=line)


def _told_shortly(index: Index, place: Place) -> Place:
    """For an op inside a torch call of the user, the place of the whole call."""
    step = step_at(index, place.step)
    ordinary = isinstance(step, ForwardStep) and step.call is None
    return Place(step=place.step) if ordinary else place
