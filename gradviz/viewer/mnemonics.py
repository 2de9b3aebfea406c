"""Menu texts without their mnemonics, for titles and lists."""

from __future__ import annotations

import re

_MNEMONIC = re.compile(r"\(&\w\)|&(?!&)")


def without_mnemonic(text: str) -> str:
    """A menu text such as ``&Open`` without its mnemonic, which is ``(&O)`` in Chinese."""
    return _MNEMONIC.sub("", text).replace("&&", "&")
