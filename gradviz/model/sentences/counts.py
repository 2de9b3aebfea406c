"""Counts of things in words."""

from __future__ import annotations

from gradviz.model.messages import say


def count_text(thing: str, count: int) -> str:
    """A number and its noun, such as ``1 node`` or ``1,024 nodes``.

    Args:
        thing: Noun whose templates are ``count.<thing>.one`` and ``count.<thing>.more``.
        count: How many there are.
    """
    form = "one" if count == 1 else "more"
    return say(f"count.{thing}.{form}", count=f"{count:,}")
