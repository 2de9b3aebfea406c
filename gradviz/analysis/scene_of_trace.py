"""Finds the gallery scene that a trace was recorded from."""

from __future__ import annotations

from gradviz.analysis.index.trace_index import TraceIndex

_SCENE = "scene:"


def scene_of(index: TraceIndex | None) -> str:
    """Return the id of a trace's scene; empty if it is not from a scene."""
    subject = "" if index is None else index.trace.origin.subject
    return subject.removeprefix(_SCENE) if subject.startswith(_SCENE) else ""
