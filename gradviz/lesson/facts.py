"""Texts of a lesson as people see them; facts are written as in the guide: ``{{text|query}}``."""

from __future__ import annotations

import re

from gradviz.catalogue.visible_text import visible_text
from gradviz.gallery.guide.facts import FACT
from gradviz.lesson.lesson import LessonStop

_FACT = re.compile(FACT, re.DOTALL)


def shown_text(text: str) -> str:
    """Return a text as people see it: facts without queries, control characters escaped."""
    return visible_text(_FACT.sub(lambda match: match[1], text), lines=True)


def speaker_text(stop: LessonStop) -> str:
    """Return what the speaker reads at a stop: the solution, then the notes."""
    return "\n\n".join(shown_text(text) for text in (stop.solution, stop.notes) if text)
