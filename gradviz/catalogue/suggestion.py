"""The known word that somebody most likely meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from gradviz.catalogue.messages import say


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Ask whether a similar known word was meant.

    Args:
        word: What was written.
        known: What could have been written.

    Returns:
        A question in one sentence; empty if no known word is similar.
    """
    similar = difflib.get_close_matches(word, list(known), n=1)
    return say("command.did_you_mean", word=similar[0]) if similar else ""
