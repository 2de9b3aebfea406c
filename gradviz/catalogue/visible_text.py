"""Control characters as visible text, so that a name cannot pretend to be something else."""

from __future__ import annotations

import re

# Unicode's control characters except tab and line feed, its separators of lines and paragraphs, and
# its controls of the writing direction.
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def visible_text(text: str) -> str:
    r"""A text of one or more lines with its control characters escaped, such as ``\x1b``."""
    return text if text.isprintable() else _HIDDEN.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
