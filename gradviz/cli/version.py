"""``gradviz --version``: versions that a bug report needs."""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
from importlib.util import find_spec

from gradviz.catalogue.messages import say
from gradviz.cli import output

_PACKAGES = ("torch", "PySide6-Essentials", "pyqtgraph", "numpy", "graphviz", "pygraphviz")


def run(_arguments: argparse.Namespace) -> int:
    """Print one line per version, without importing the packages."""
    for name, number in versions().items():
        output.say(f"{name} {number}")
    return 0


def versions() -> dict[str, str]:
    """Versions by name, most important first."""
    # Import late, as the window's start parses the command line, too.
    from importlib.metadata import PackageNotFoundError, version

    from gradviz.version import __version__

    found = {"gradviz": __version__, "Python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = say("version.missing")
    found["dot"] = _dot()
    found["platform"] = platform.platform()
    return found


def _dot() -> str:
    path = shutil.which("dot")
    if path is None:
        return say("version.library" if find_spec("pygraphviz") else "version.no_dot")
    try:
        done = subprocess.run(
            [path, "-V"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return say("version.silent_dot", error=error)
    # dot prints its version to stderr.
    return done.stderr.strip().removeprefix("dot - graphviz version ") or say("version.unknown")
