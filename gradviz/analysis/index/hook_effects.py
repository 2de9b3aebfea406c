"""Sentences about what hooks did to gradients, by step."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from gradviz.model.finding import Finding

_BEFORE = frozenset(("gradient_hooked", "gradient_retained"))
_AFTER = frozenset(("gradient_replaced", "total_replaced"))


class HookEffects(Struct, frozen=True, kw_only=True):
    """Sentences about hooks in one step.

    Attributes:
        before: What happened to a gradient before the step received it.
        after: What happened to the gradients that the step passed on or accumulated.
    """

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


NO_HOOK_EFFECTS = HookEffects()


def hook_effects(findings: Iterable[Finding]) -> dict[int, HookEffects]:
    """Collect the sentences of findings about hooks, by step number."""
    known: dict[int, HookEffects] = {}
    for finding in findings:
        if finding.step is None or finding.code not in _BEFORE | _AFTER:
            continue
        effects = known.get(finding.step, NO_HOOK_EFFECTS)
        before, after = effects.before, effects.after
        if finding.code in _BEFORE:
            before = (*before, finding.message)
        else:
            after = (*after, finding.message)
        known[finding.step] = HookEffects(before=before, after=after)
    return known
