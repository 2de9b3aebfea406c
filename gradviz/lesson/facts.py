"""Facts in the texts of a lesson, written as in the guide: ``{{text|query}}``."""

from __future__ import annotations

import re

from gradviz.catalogue.visible_text import visible_text
from gradviz.gallery.guide.facts import FACT

_FACT = re.compile(FACT, re.DOTALL)


def shown_text(text: str) -> str:
    """Return a text as people see it: facts without queries, control characters escaped."""
    return visible_text(_FACT.sub(lambda match: match[1], text), lines=True)
