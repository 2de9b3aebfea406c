"""Where a line of text may break: after spaces, and between Chinese characters."""

from __future__ import annotations

import re
from collections.abc import Callable

_WIDE = r"\u2e80-\u2fff\u3005-\u3007\u3040-\u9fff\uf900-\ufaff"
_CLOSING = "、。，：；？！）》〉」』】”’…"
_OPENING = "（《〈「『【“‘"
# Quotation marks are those of English, too, where a line may break only at a space.
_OWN_CLOSING, _OWN_OPENING = _CLOSING[:-3], _OPENING[:-2]
_BREAK = re.compile(
    rf"(?<=\s)(?=\S)"
    rf"|(?<=[{_WIDE}{_OWN_CLOSING}])(?=[^\s{_CLOSING}])"
    rf"|(?<=[^\s{_OPENING}])(?=[{_WIDE}{_OWN_OPENING}])"
)


def unbreakable_parts(text: str) -> list[str]:
    """Split a text at each place where a line may break; each part ends with its spaces.

    A line neither begins with a closing mark nor ends with an opening one. Source: a small part of
    the rules of Unicode Standard Annex #14, for languages that do not put spaces between words.
    """
    return _BREAK.split(text)


def wrap(text: str, width: float, measure: Callable[[str], float]) -> list[str]:
    """Break a text into lines; a part that is wider than the width gets its own line.

    Args:
        text: Each run of spaces in it counts as one.
        width: The largest width of a line.
        measure: The width of a text, in the same units.
    """
    lines: list[str] = []
    for part in unbreakable_parts(" ".join(text.split())):
        if lines and measure((lines[-1] + part).rstrip()) <= width:
            lines[-1] += part
        else:
            lines.append(part)
    return [line.rstrip() for line in lines if line]
