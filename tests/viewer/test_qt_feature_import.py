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


def test_the_import_function_stays_unpatched() -> None:
    subprocess.run([sys.executable, "-c", UNHOOKED], stdin=subprocess.DEVNULL, check=True)
