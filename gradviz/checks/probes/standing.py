"""Investigation of repeatability: a few additional runs, and what they show."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.checks.diagnosis.case import Case
from gradviz.checks.names import function_class
from gradviz.checks.probes.damage import damage
from gradviz.checks.probes.kept_values import kept_values
from gradviz.checks.probes.observation import BACKWARDS, FORWARDS, Observation, observe
from gradviz.checks.probes.repeats import repeats, stuck
from gradviz.checks.probes.spread import with_spreads
from gradviz.model.diagnosis import Diagnosis


def standing(case: Case) -> Iterator[Diagnosis]:
    """Diagnose what additional runs show.

    In-place damage comes first: it makes identical runs differ and corrupts the values.
    """
    matches = case.findings.verdict() == "match"
    if not case.output_names or (matches and not (case.settings.battery and _is_first(case))):
        return
    case.evaluations.expect(FORWARDS + BACKWARDS)
    seen = observe(case)
    if seen.is_quiet:
        yield from [*stuck(case, seen)] or kept_values(case)
        return
    found = [*damage(case, seen)] or [*repeats(case, seen)]
    if seen.differs:
        with_spreads(case)
    if _is_only_overtaken(seen) and function_class(case.subject.function) is not None:
        # A check never runs another forward in between, so this explains no pair.
        case.afterwards.extend(found)
    else:
        yield from found


def _is_only_overtaken(seen: Observation) -> bool:
    return seen.fresh_apart > 0 and seen.outputs_apart == seen.again_apart == 0


def _is_first(case: Case) -> bool:
    return case.subject.order == 1
