"""All kinds of differences that can be told by their numbers, the surest first.

A kind is a function in a module of its own: it gets the pair, and answers with a diagnosis only
where the numbers leave no other reading. A false diagnosis is worse than none.
"""

from __future__ import annotations

from collections.abc import Callable

from gradviz.checks.diagnosis.constant_forward import constant_forward
from gradviz.checks.diagnosis.lost_history import lost_history
from gradviz.checks.diagnosis.pair import Pair
from gradviz.checks.diagnosis.straight_through import straight_through
from gradviz.checks.diagnosis.transposed import transposed
from gradviz.checks.diagnosis.unknown import unknown
from gradviz.model.diagnosis import Diagnosis

Rule = Callable[[Pair], Diagnosis | None]

RULES: tuple[Rule, ...] = (
    straight_through,
    constant_forward,
    lost_history,
    transposed,
)


def diagnose(pair: Pair) -> Diagnosis:
    """What the first rule says that fits; ``unknown`` where none does."""
    for rule in RULES:
        found = rule(pair)
        if found is not None:
            return found
    return unknown(pair)
