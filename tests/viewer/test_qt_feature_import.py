"""Importing the window's theme leaves Python's import function unpatched."""

from __future__ import annotations

import subprocess
import sys

UNHOOKED = """
import builtins
plain = builtins.__import__
import gradviz.viewer.theme.theme
assert builtins.__import__ is plain
from PySide6.QtWidgets import QLabel
assert QLabel.setText
"""


def test_no_later_import_is_looked_at_by_the_binding() -> None:
    subprocess.run([sys.executable, "-c", UNHOOKED], check=True)
