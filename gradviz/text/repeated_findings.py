"""Findings of several steps in one text."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.catalogue.messages import say_count
from gradviz.model.finding import Finding


def finding_text(group: Sequence[Finding]) -> str:
    """The sentence of the first finding, and of how many later steps it holds, too."""
    first, later = group[0], len(group) - 1
    return say_count("finding.repeated", later, message=first.message) if later else first.message
