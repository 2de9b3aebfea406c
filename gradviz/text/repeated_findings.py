"""Findings of several steps in one text."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.catalogue.messages import say_count
from gradviz.model.finding import Finding


def finding_text(group: Sequence[Finding], sentence: str = "") -> str:
    """The sentence of the first finding, or another one, and of how many later steps it holds."""
    text, later = sentence or group[0].message, len({each.step for each in group}) - 1
    return say_count("finding.repeated", later, message=text) if later else text
