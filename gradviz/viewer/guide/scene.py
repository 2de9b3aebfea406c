"""Which scene of the gallery a trace is of."""

from __future__ import annotations

from gradviz.model.index import Index

_SCENE = "scene:"


def scene_of(index: Index | None) -> str:
    """Id of the scene that a trace is of; nothing for anything else."""
    subject = "" if index is None else index.trace.origin.subject
    return subject.removeprefix(_SCENE) if subject.startswith(_SCENE) else ""
