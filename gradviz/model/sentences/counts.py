"""Numbers of things in words."""

from __future__ import annotations

from gradviz.model.messages import say


def count_text(thing: str, count: int) -> str:
    """``1 node``, ``1,024 nodes``.

    Args:
        thing: Of which the catalogue has ``count.<thing>.one`` and ``count.<thing>.more``.
        count: How many.
    """
    form = "one" if count == 1 else "more"
    return say(f"count.{thing}.{form}", count=f"{count:,}")
