"""What a search has found, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from gradviz.model.search.book import TextField
from gradviz.model.search.values import NonFinite

Why = Literal[
    "text", "tensor", "shape", "dtype", "device", "kind", "saved", "problem", "step", "value"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Why a term holds of a thing.

    Attributes:
        why: Kind of reason.
        text: What matched, where it is a text.
        field: Where that text stands.
        use: Position in `Uses` of the tensor that it is about; None if it is about none.
        found: What its values hold, if that is the reason.
        step: The step that was asked for, if one was; else 0.
    """

    why: Why
    text: str = ""
    field: TextField | None = None
    use: int | None = None
    found: NonFinite | None = None
    step: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One thing that was found.

    Attributes:
        node: The node; None for a step that is about none.
        step: Where to look: the step of the tensor that was found, else the thing's first one.
        score: How well it fits; more is better.
        causes: One for each term.
    """

    node: int | None
    step: int
    score: int
    causes: tuple[Cause, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search has found.

    Attributes:
        hits: Best first; equally good ones in the order of the run.
        unknown: Tensors that may hold what was looked for, but whose values are not known.
        stopped: Whether it was told to stop before the end.
    """

    hits: tuple[Hit, ...] = ()
    unknown: int = 0
    stopped: bool = False


def told_of(found: Found, told: int) -> Found:
    """Without the hits that tell what the run has only after a step, for a room that guesses."""
    return replace(found, hits=tuple(hit for hit in found.hits if _is_told(hit, told)))


def _is_told(hit: Hit, told: int) -> bool:
    # What went wrong stands at the first step of its node, wherever it came up.
    if any("problem" in (cause.why, cause.field) for cause in hit.causes):
        return False
    tensor = any(cause.use is not None for cause in hit.causes)
    return hit.step <= told or (hit.node is not None and not tensor)


Matches = dict[int, tuple[int, Cause]]
"""Score and cause by position of the thing."""


def offer(matches: Matches, at: int, score: int, cause: Cause) -> None:
    """Keeps the best match of each thing; of equally good ones the first."""
    if at not in matches or matches[at][0] < score:
        matches[at] = (score, cause)
