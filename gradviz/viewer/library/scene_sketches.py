"""The sketches of the scenes' graphs, which ship with gradviz as running all scenes takes long."""

from __future__ import annotations

from functools import cache

import msgspec

from gradviz.model.graph_sketch import GraphSketch
from gradviz.resource import resource_path

SCENE_SKETCHES = "scene-sketches.json"
"""The resource, which ``make scene-sketches`` writes."""


@cache
def scene_sketches() -> dict[str, GraphSketch]:
    """The sketch of each scene by its id; without boxes if the scene has no graph."""
    data = resource_path(SCENE_SKETCHES).read_bytes()
    return msgspec.json.decode(data, type=dict[str, GraphSketch])
