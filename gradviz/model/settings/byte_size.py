"""Sizes in bytes as users write them."""

from __future__ import annotations

import re


def parse_size(text: str) -> int:
    """Bytes of a size such as ``64M`` or ``2G``, in powers of 1024.

    Raises:
        ValueError: If it is not a size.
    """
    match = re.fullmatch(r"(\d+)([KMG]?)B?", text, re.IGNORECASE)
    if match is None:
        raise ValueError(text)
    return int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[match[2].upper()]
