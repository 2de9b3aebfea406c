"""Maps tensors and nodes to the values of the original run that can be changed."""

from __future__ import annotations

from gradviz.model.alignment import Alignment
from gradviz.model.change_targets import (
    Candidate,
    Changeable,
    candidate_for,
    candidates_at,
    candidates_of,
    candidates_of_node,
)
from gradviz.model.changes import Target
from gradviz.model.index import Index
from gradviz.model.inputs import Offer
from gradviz.viewer.changes.subject import ChangeSubject
from gradviz.viewer.running.session import Session
from gradviz.viewer.state import ViewerState


class Finder:
    """Finds changeable values; their contents always come from the run without changes."""

    def __init__(self, state: ViewerState, session: Session) -> None:
        self._state = state
        self._session = session
        self.alignment: Alignment | None = None

    @property
    def offer(self) -> Offer | None:
        """What the original run was made from; None if it cannot be run again."""
        return self._session.offer

    def here(self) -> tuple[Candidate, ...]:
        """Return what can be changed at the current step."""
        index = self._original()
        number = self._old(self._state.number)
        if index is None or number is None:
            return ()
        return candidates_at(index, number, self._before())

    def of_node(self, node: int) -> tuple[Candidate, ...]:
        """Return what can be changed about a node, if both runs have the node."""
        index = self._original()
        if index is None or node not in index.node:
            return ()
        return candidates_of_node(index, node, self._before())

    def behind(self, tensor: int, number: int) -> tuple[Candidate, ...]:
        """Return the changeable values behind a tensor of the run that is shown."""
        shown = self._state.index
        if shown is None:
            return ()
        found = candidates_of(shown, tensor, number, self._before())
        if self._session.baseline is None:
            return found
        return tuple(each for each in map(self._in_original, found) if each is not None)

    def subject(self, candidate: Candidate) -> ChangeSubject | None:
        """Return a candidate with its value in the original run, or None."""
        index = self._original()
        if index is None or candidate.tensor not in index.tensor:
            return None
        record = index.tensor.bare(candidate.tensor)
        value = index.value(candidate.tensor) if record.content == "whole" else None
        return ChangeSubject(target=candidate.target, record=record, value=value)

    def again(self, target: Target) -> Candidate | None:
        """Return the original run's candidate for an already changed target, or None."""
        index = self._original()
        return None if index is None else candidate_for(index, target, self._before())

    def _in_original(self, candidate: Candidate) -> Candidate | None:
        return self.again(candidate.target)

    def _original(self) -> Index | None:
        baseline = self._session.baseline
        return self._state.index if baseline is None else baseline.index

    def _old(self, number: int) -> int | None:
        if self._session.baseline is None or self.alignment is None:
            return number
        return self.alignment.old(number)

    def _before(self) -> Changeable:
        return Changeable.of(self.offer)
