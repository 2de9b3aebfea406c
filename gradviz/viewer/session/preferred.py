"""Requests and limits of child processes as the preferences ask for them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gradviz.host.limits import TIME_S, Limits, memory_percentage
from gradviz.model.inputs import SCRIPT, Offer
from gradviz.model.settings.recording_scope import (
    ALL_PASSES,
    SAMPLED_PASSES,
    PassRange,
    parse_pass_range,
)
from gradviz.model.what_if import WhatIfChange
from gradviz.protocol.messages import RunRequest
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.state import ViewerState

_MOST_S_FOR_INPUTS = 20.0
"""A child process looks for inputs for at most 8 s, unless the code it calls does not return."""


def preferred_limits(preferences: Preferences, offer: Offer | None = None) -> Limits:
    """The limits of a child process, such as one that runs an offer.

    A program may train for hours, so only a time that the user has set ends it.
    """
    is_program = offer is not None and offer.subject.name == SCRIPT
    is_set = preferences.time_limit_s != TIME_S
    return Limits(
        time_s=preferences.time_limit_s or None if is_set or not is_program else None,
        memory_bytes=memory_percentage(preferences.memory_percent),
        trace_bytes=preferences.trace_mib << 20,
        output_characters=preferences.output_characters,
    )


def limits_for_inputs(limits: Limits) -> Limits:
    """The limits of a child process that looks for inputs."""
    return replace(limits, time_s=min(limits.time_s or _MOST_S_FOR_INPUTS, _MOST_S_FOR_INPUTS))


def preferred_run(
    state: ViewerState, offer: Offer, trace: Path, changes: tuple[WhatIfChange, ...]
) -> RunRequest:
    """The request for a run of an offer that is recorded to a trace.

    Args:
        state: Its preferences; a run with changes records the same passes as its shown run.
        offer: What to run.
        trace: Path of the trace.
        changes: Changes to the shown run.
    """
    preferences, index = state.preferences, state.index
    passes = _preferred_passes(preferences, offer)
    if changes and index is not None:
        passes = index.trace.scope.same_passes
    return RunRequest(
        offer=offer,
        trace=str(trace),
        level=preferences.recording_level,
        passes=passes,
        changes=changes,
        budget_bytes=preferences.budget_mib << 20,
    )


def _preferred_passes(preferences: Preferences, offer: Offer) -> PassRange:
    passes = parse_pass_range(preferences.passes) if preferences.passes else SAMPLED_PASSES
    if passes in (ALL_PASSES, SAMPLED_PASSES):
        return passes
    if offer.subject.scene:
        # Its few passes are no long run.
        return SAMPLED_PASSES
    return passes if passes.tail else passes.with_numbers_of_all
