"""The PySide6 window: panels that show a trace, and the state they share."""

from __future__ import annotations

import builtins
from importlib import import_module

# PySide6's import hook reads the source of every module imported after it, looking for
# `from __feature__ import`, which nothing here uses. That takes a third of the start-up time.
_import = builtins.__import__
import_module("PySide6.QtCore")
builtins.__import__ = _import
