"""Requests and limits of child processes as the preferences ask for them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gradviz.host.limits import Limits, memory_percentage
from gradviz.model.inputs import SCRIPT, Offer
from gradviz.model.settings.recording_scope import (
    ALL_PASSES,
    SAMPLED_PASSES,
    PassRange,
    RecordingScope,
    parse_pass_range,
)
from gradviz.protocol.messages import RunRequest
from gradviz.viewer.preferences import Preferences

_MOST_S_FOR_INPUTS = 20.0
"""A child process looks for inputs for at most 8 s, unless the code it calls does not return."""


def preferred_limits(preferences: Preferences) -> Limits:
    """The limits of a child process."""
    return Limits(
        time_s=preferences.time_limit_s or None,
        memory_bytes=memory_percentage(preferences.memory_percent),
        trace_bytes=preferences.trace_mib << 20,
        output_characters=preferences.output_characters,
    )


def limits_for_inputs(limits: Limits) -> Limits:
    """The limits of a child process that looks for inputs."""
    return replace(limits, time_s=min(limits.time_s or _MOST_S_FOR_INPUTS, _MOST_S_FOR_INPUTS))


def preferred_run(preferences: Preferences, offer: Offer, trace: Path) -> RunRequest:
    """The request for a run of an offer that is recorded to a trace."""
    return RunRequest(
        offer=offer,
        trace=str(trace),
        level=preferences.recording_level,
        passes=_preferred_passes(preferences, offer),
        budget_bytes=preferences.budget_mib << 20,
    )


def _preferred_passes(preferences: Preferences, offer: Offer) -> PassRange:
    passes = parse_pass_range(preferences.passes) if preferences.passes else SAMPLED_PASSES
    # Other runs than a script's seldom have the passes of a range.
    is_known = offer.subject.name == SCRIPT or passes == ALL_PASSES
    return passes if is_known else SAMPLED_PASSES


def passes_like(scope: RecordingScope) -> PassRange:
    """What records the same passes as a recording with this scope, whatever time they take."""
    return PassRange(is_sampled=True, rows=scope.kept) if scope.kept else scope.passes
