"""Finds the plain version of a function that a check is to ask, where one was named."""

from __future__ import annotations

import importlib
import os
from typing import Any

from gradviz.checks.names import function_class
from gradviz.checks.reference.opinion import Reference
from gradviz.model.inputs import Subject
from gradviz.worker.load import LoadError, load_file

_OF_TORCH = "torch."


def find_reference(name: str, subject: Subject) -> Reference | None:
    """What a name stands for.

    Args:
        name: ``FILE.py:NAME``, ``NAME`` in the file that is checked, or a function of torch by its
            full name, like ``torch.nn.functional.linear``; empty for none.
        subject: What is checked.

    Raises:
        LoadError: If there is no such thing, or it cannot be called.
    """
    if not name:
        return None
    path, _, inner = name.rpartition(":")
    if path:
        found = getattr(load_file(os.path.expanduser(path)), inner, None)
    elif name.startswith(_OF_TORCH):
        found = _of_torch(name)
    elif subject.path:
        found = getattr(load_file(subject.path), name, None)
    else:
        found = None
    if not callable(found):
        raise LoadError(f"There is no function {name!r:.80} to be the reference.")
    cls = function_class(found)
    return Reference(title=inner, call=found if cls is None else cls.apply)


def _of_torch(name: str) -> Any:
    found: Any = importlib.import_module("torch")
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    return found
