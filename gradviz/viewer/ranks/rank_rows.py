"""A row for each rank of a distributed program, with its marks in the steps of the shown rank."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from gradviz.analysis.compare.phase_alignment import PhaseAlignment
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.document.document import Document, Field, Row
from gradviz.viewer.ranks.rank_run import RankRun
from gradviz.viewer.translation import translate

RankMark = tuple[int, str]
"""A step of the rank that is shown, and what another rank has recorded there."""

RankMarkKey = tuple[int, int]
"""A rank, and the place of one of its marks among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankSummary:
    """What is known of one rank.

    Attributes:
        number: The rank.
        run: Its run; None until its trace has been read.
        steps: Maps its steps to those of the rank that is shown.
        shows: Whether the results of a step of the rank that is shown are revealed.
    """

    number: int
    run: RankRun | None
    steps: PhaseAlignment
    shows: Callable[[int], bool]

    @property
    def marks(self) -> tuple[RankMark, ...]:
        """Its findings, errors, NaN and Inf values, and synchronized gradients, in step order."""
        found = sorted(self._marks(), key=lambda mark: mark[0])
        return tuple(mark for mark in found if self.shows(mark[0]))

    def _marks(self) -> Iterator[RankMark]:
        if self.run is None:
            return
        changed = translate("Ranks", "Gradients changed again at the end of this pass.")
        own = [(mark.number, mark.text) for mark in self.run.marks]
        for number, text in (*own, *((each, changed) for each in self.run.synchronized)):
            step = self.steps.step_of(number)
            if step is not None:
                yield step, text

    @property
    def missing(self) -> int:
        """How many of its steps are in phases that the rank that is shown does not have."""
        shown = sum(own.last - own.first + 1 for own, _ in self.steps.pairs)
        return 0 if self.run is None else self.run.count - shown

    @property
    def title(self) -> str:
        """Its number, and what makes it different."""
        name = translate("Ranks", "rank {0}").format(self.number)
        if self.run is None:
            return translate("Ranks", "{0} · is being opened…").format(name)
        if self.run.problem:
            return translate("Ranks", "{0} · cannot be shown").format(name)
        if self.missing:
            text = translate("Ranks", "{0} · {1} more steps")
            return text.format(name, format_count(self.missing))
        return name


def ranks_document(ranks: Mapping[int, RankSummary], shown: int) -> Document:
    """Return a row for each rank, by its number, and below it one for each mark, by its place.

    Args:
        ranks: The ranks.
        shown: The rank that the window shows.
    """
    marks = {number: rank.marks for number, rank in ranks.items()}

    def row(key: Hashable) -> Row:
        if isinstance(key, int):
            rank = ranks[key]
            problem = "" if rank.run is None else rank.run.problem
            go = "" if key == shown else translate("Ranks", "Click to show this rank here.")
            texts = [_mark_text(mark) for mark in marks[key][:1]]
            fields = (
                Field(text=rank.title, tip=problem or go),
                Field(text=problem or "".join(texts), tone="error" if problem else "muted"),
            )
            return Row(fields=fields, is_now=key == shown)
        number, at = cast("RankMarkKey", key)
        return Row(fields=(Field(), Field(text=_mark_text(marks[number][at]))))

    below: dict[Hashable, list[RankMarkKey]] = {
        number: [(number, at) for at in range(len(found))]
        for number, found in marks.items()
        if found
    }
    return Document(titles=("", ""), keys=list(ranks), below=below, row=row)


def _mark_text(mark: RankMark) -> str:
    step, text = mark
    return f"{say('doctor_list.step', step=format_count(step))}: {text}"
