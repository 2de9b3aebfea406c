"""Torch's error about a saved tensor that was changed in place."""

from __future__ import annotations

import re

from gradviz.model.tensor import TensorRecord

_INPLACE = "modified by an inplace operation"
_ERROR = r"Tensor \[([\d, ]*)\]\].* is at version (\d+); expected version (\d+) instead"


def is_about_versions(message: str) -> bool:
    """Whether an exception is torch's error about a saved tensor changed in place."""
    return _INPLACE in message


def fits_error(saved: TensorRecord, message: str) -> bool:
    """Whether torch's error may be about a saved tensor, judging by shape and version."""
    found = re.search(_ERROR, message)
    if found is None:
        return True
    sizes = tuple(int(each) for each in re.findall(r"\d+", found[1]))
    return (saved.shape, saved.version) == (sizes, int(found[3]))
