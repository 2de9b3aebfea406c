"""Search results and the reasons for each match."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.analysis.search.search_index import IndexedField
from gradviz.analysis.search.value_scan import NonFiniteCounts

MatchReason = Literal[
    "text", "tensor", "shape", "dtype", "device", "kind", "saved", "problem", "step", "value"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchCause:
    """The reason why a thing matches a term.

    Attributes:
        why: Kind of reason.
        text: The text that matched, if any.
        field: The field that contains the text.
        use: Position in `TensorUses` of the matching tensor; None if no tensor matched.
        found: The tensor's NaN and Inf counts, if they are the reason.
        step: The requested step, if any; else 0.
    """

    why: MatchReason
    text: str = ""
    field: IndexedField | None = None
    use: int | None = None
    found: NonFiniteCounts | None = None
    step: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """One search result.

    Attributes:
        node: The node; None for a step without a node.
        step: Step to go to: that of the matching tensor, else the thing's first one.
        score: How well it matches; higher is better.
        causes: The reason for each term.
    """

    node: int | None
    step: int
    score: int
    causes: tuple[MatchCause, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The results of a search.

    Attributes:
        hits: Best first; equal scores in the order of the run.
        unknown: Number of tensors that could match, but whose values are not known.
        stopped: Whether the search was cancelled before the end.
    """

    hits: tuple[SearchHit, ...] = ()
    unknown: int = 0
    stopped: bool = False


def visible_result(found: SearchResult, revealed: RevealedTrace) -> SearchResult:
    """The results without hits that reveal something hidden."""
    if revealed.is_complete:
        return found
    return replace(found, hits=tuple(hit for hit in found.hits if _is_visible(hit, revealed)))


def _is_visible(hit: SearchHit, revealed: RevealedTrace) -> bool:
    # Hide problems: they are listed at their node's first step, even if they occurred later.
    if any("problem" in (cause.why, cause.field) for cause in hit.causes):
        return False
    tensor = any(cause.use is not None for cause in hit.causes)
    return revealed.shows(hit.step) or (hit.node is not None and not tensor)


TermMatches = dict[int, tuple[int, MatchCause]]
"""Score and reason by position of the thing."""


def keep_best_match(matches: TermMatches, at: int, score: int, cause: MatchCause) -> None:
    """Keep the best match of each thing; the first one if scores are equal."""
    if at not in matches or matches[at][0] < score:
        matches[at] = (score, cause)
