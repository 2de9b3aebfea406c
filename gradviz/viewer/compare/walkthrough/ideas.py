"""The ideas of a comparison in the order in which they are explained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gradviz.analysis.compare.run_comparison import Mismatch, RunComparison

CompareIdeaKind = Literal["together", "first", "consequence", "rounding", "rest"]

MOST_DIFFERENCES = 6
"""Maximum number of differing steps with a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareIdea:
    """One idea.

    Attributes:
        kind: ``together`` shows the current step of both runs, ``rest`` lists the differences that
            have no page.
        mismatch: The differing step; None for the current one.
        others: The differences without a page, for ``rest``.
    """

    kind: CompareIdeaKind
    mismatch: Mismatch | None = None
    others: tuple[Mismatch, ...] = ()


def ideas_of(found: RunComparison) -> tuple[CompareIdea, ...]:
    """Return the ideas of a comparison: the result, then where the runs differ, first cause first.

    If all differences are rounding, only the largest one has a page. Equal runs have one page.
    """
    together = CompareIdea(kind="together")
    differing = tuple(each for each in found.mismatches if found.matters(each))
    if not differing:
        worst = found.rounding
        return (together,) if worst is None else (together, _idea("rounding", worst))
    first, *consequences = differing[:MOST_DIFFERENCES]
    ideas = [together, _idea("first", first)]
    ideas += [_idea("consequence", each) for each in consequences]
    if differing[MOST_DIFFERENCES:]:
        ideas.append(CompareIdea(kind="rest", others=differing[MOST_DIFFERENCES:]))
    return tuple(ideas)


def _idea(kind: CompareIdeaKind, mismatch: Mismatch) -> CompareIdea:
    return CompareIdea(kind=kind, mismatch=mismatch)
