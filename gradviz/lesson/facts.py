"""Facts in the texts of a lesson, written as in the guide: ``{{text|query}}``."""

from __future__ import annotations

import re

from gradviz.gallery.guide.facts import FACT

_FACT = re.compile(FACT, re.DOTALL)


def shown_text(text: str) -> str:
    """Return a text as people see it: each fact is only its text."""
    return _FACT.sub(lambda match: match[1], text)
