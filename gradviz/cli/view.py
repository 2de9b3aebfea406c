"""``gradviz view``: opens a trace in the window."""

from __future__ import annotations

import argparse


def run(arguments: argparse.Namespace) -> int:
    """Opens the window with a trace, after checking that it is one."""
    from gradviz.cli.window import open_window
    from gradviz.store.header import read_header

    read_header(arguments.trace)
    return open_window([arguments.trace])
