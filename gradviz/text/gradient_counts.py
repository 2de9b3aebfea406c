"""Numbers of gradients and of inputs, in the sentences that compare them."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.catalogue.messages import say, say_list

_MOST_NAMES = 6


def gradient_count(count: int) -> str:
    """A number of returned values, such as ``2 gradients``."""
    return say("finding.gradients.one") if count == 1 else say("finding.gradients", count=count)


def input_count(count: int, names: Sequence[str]) -> str:
    """A number of inputs of ``forward``, with the first of their names."""
    if count == 1:
        return say("finding.arguments.one")
    shown = [*names[:_MOST_NAMES], *(["…"] if len(names) > _MOST_NAMES else [])]
    return say("finding.arguments", count=count, names=say_list(shown))
