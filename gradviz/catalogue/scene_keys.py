"""Keys of the texts of scenes. The scenes declare the English; other languages translate it."""

from __future__ import annotations

from typing import Literal


def scene_key(scene_id: str, part: Literal["title", "summary"]) -> str:
    """Key of a scene's title or summary."""
    return f"scene.{scene_id}.{part}"


def scene_group_key(group_id: str) -> str:
    """Key of the heading of a group of scenes."""
    return f"scene_group.{group_id}"
