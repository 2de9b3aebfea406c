"""Lookup of the reference function that a check compares with."""

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
    """Find the reference with a name; None for an empty name.

    Args:
        name: ``FILE.py:NAME``, ``NAME`` in the checked file, or the full name of a torch function,
            like ``torch.nn.functional.linear``; empty for none.
        subject: What is checked.

    Raises:
        LoadError: If it does not exist or cannot be called.
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
        raise LoadError(f"The reference function {name!r:.80} was not found or cannot be called.")
    cls = function_class(found)
    return Reference(title=inner, call=found if cls is None else cls.apply)


def _of_torch(name: str) -> Any:
    found: Any = importlib.import_module("torch")
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    return found
