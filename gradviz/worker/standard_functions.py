"""Python's own functions, put back for gradviz where user code has replaced them."""

from __future__ import annotations

import builtins
import json
import json.decoder
import json.encoder
import os
import sqlite3
import sqlite3.dbapi2
import sys
import threading
import time
import typing
from types import ModuleType
from typing import Any

# By name, because those of the module may be the replaced ones.
_delete, _set = delattr, setattr

_OWNERS: tuple[Any, ...] = (
    *(builtins, os, threading, threading.Thread, time, typing),
    *(json, json.encoder, json.JSONEncoder, json.decoder, json.JSONDecoder),
    *(sqlite3, sqlite3.dbapi2),
)
"""What the recorder and the worker call after user code has run."""
_MISSING = object()

Replaced = list[tuple[Any, str, object]]
"""Owner, name and the user's value of each function."""


class StandardFunctions:
    """The functions as they are when this is created.

    `restore` calls no function by its name, which could be one that user code has replaced.
    """

    def __init__(self) -> None:
        self._functions = [
            (owner, name, value)
            for owner in _OWNERS
            for name, value in vars(owner).items()
            if callable(value)
        ]
        self._modules: dict[str, ModuleType] = {}

    def keep_modules(self, *packages: str) -> None:
        """Let `restore` also put back the modules of these packages that are imported now."""
        loaded = list(sys.modules.items())
        self._modules = {name: each for name, each in loaded if name.split(".")[0] in packages}

    def restore(self) -> Replaced:
        """Put the functions and modules back, and return what user code has made of them."""
        replaced: Replaced = []
        for owner, name, value in self._functions:
            found = owner.__dict__.get(name, _MISSING)
            if found is not value:
                replaced.append((owner, name, found))
                _set(owner, name, value)
        for name, module in self._modules.items():
            sys.modules[name] = module
        return replaced

    def replace_again(self, replaced: Replaced) -> None:
        """Undo `restore` of functions, for user code that still runs."""
        for owner, name, value in replaced:
            if value is _MISSING:
                _delete(owner, name)
            else:
                _set(owner, name, value)


ORIGINALS = StandardFunctions()
"""The functions of this process before user code runs in it."""
