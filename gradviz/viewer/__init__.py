"""The window: panels that show a trace, and the state that they share."""

from __future__ import annotations

import builtins
from importlib import import_module

# Qt's binding puts itself before every later import, to read the source of each module for a
# switch (`from __feature__ import`) that nothing here uses. That is a third of the window's start.
_import = builtins.__import__
import_module("PySide6.QtCore")
builtins.__import__ = _import
